export { default, handleSummary, options, setup, touch } from '../remote.ts';
