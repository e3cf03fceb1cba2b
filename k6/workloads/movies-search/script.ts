export { default, handleSummary, options, setup, touch } from '../../scenarios/movies.ts';
