export { default, handleSummary, options, setup, touch } from '../get.ts';
