// What TaskOutput and TaskStop do, and how a task is told.
export { describeTask, reasonOf } from './use-task.js';
