export { default, handleSummary, options, setup, touch } from '../proxy.ts';
