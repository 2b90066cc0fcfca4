// The built-in tools, in the order they are listed.
import { agentTool, sendMessageTool } from './agent.js';
import { taskOutputTool, taskStopTool } from './background-task.js';
import { bashTool } from './bash.js';
import { editTool, readTool, writeTool } from './files.js';
import { notebookEditTool } from './notebook-edit.js';
import { globTool, grepTool } from './search.js';
import { todoWriteTool } from './todo-write.js';
import type { AnyTool } from './tool.js';
import { webFetchTool } from './web-fetch.js';
import { enterWorktreeTool, exitWorktreeTool } from './worktree.js';

/** A new list each time: what a caller takes out of it stays in for others. */
export async function getTools(): Promise<AnyTool[]> {
  return [
    agentTool,
    sendMessageTool,
    bashTool,
    readTool,
    editTool,
    writeTool,
    notebookEditTool,
    globTool,
    grepTool,
    todoWriteTool,
    taskOutputTool,
    taskStopTool,
    webFetchTool,
    enterWorktreeTool,
    exitWorktreeTool,
  ];
}
