export { default, handleSummary, options, setup, touch } from '../sleep.ts';
