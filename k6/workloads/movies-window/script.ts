export { default, handleSummary, options, setup } from '../../scenarios/movies.ts';
