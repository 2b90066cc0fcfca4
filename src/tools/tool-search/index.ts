// How tools are found by words.
export { indexTools } from './rank-tools.js';
