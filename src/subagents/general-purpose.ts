// The agent that is always there: for any task, with every tool the session has.
import type { AgentType } from './agent-type.js';

export const GENERAL_PURPOSE: AgentType = {
  name: 'general-purpose',
  description:
    'Searches, reads and works on a task of several steps by itself. For anything that no other agent is made for.',
  prompt: `You are an agent that does one task for another agent, with the tools you are given, on the user's machine.
- Do what the task says, all of it and no more. Look before you change; follow the style of what is there.
- Search broadly first, then read what matters. Look under other names before you say that something is not there.
- When something fails, find the cause. Say what you could not do or verify.
- Do not create files, commit, push or delete unless the task says so.`,
  tools: null,
  disallowedTools: [],
  model: null,
};
