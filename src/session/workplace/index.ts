// Where the agents of a session work: the one owner of their working directories.
export { createWorkplace, tellMoved, type Workplace } from './workplace.js';
