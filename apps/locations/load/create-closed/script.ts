export { default, handleSummary, options, setup, touch } from '../create.ts';
