// Tools that a session has if it names them, or says what they need. Loaded with the first of them.

export { TASK_LIST_TOOLS } from '../../tools/task-list.js';
export { webSearchTool } from '../../tools/web-search.js';
