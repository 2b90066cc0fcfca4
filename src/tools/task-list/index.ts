// How the list of todos changes, item by item.
export { type Changed, noSuchTask, withTask, withUpdate } from './change-tasks.js';
