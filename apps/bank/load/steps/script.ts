export { default, handleSummary, options, setup, touch } from '../bank.ts';
