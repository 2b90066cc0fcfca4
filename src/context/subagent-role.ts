// What a subagent is told instead of the default system prompt. Loaded with the first subagent.
import { DENIALS, SAFETY, SOURCES } from './system-prompt.js';

const SUBAGENT = `# You are a subagent
- Another agent gave you this task; its messages stand for the user's. You see nothing of its conversation, and it sees nothing of yours but your last message.
- Nobody answers questions. If something is unclear, choose the most sensible reading and say what you assumed.
- End with a report: what you found or did, with paths and line numbers, and what is unfinished or unverified. Anything that needs to be known must be in it.`;

/** What a subagent is told: the prompt of its definition, and how it stands to the agent that started it. */
export function subagentRole(prompt: string): string[] {
  return [prompt, SUBAGENT, SOURCES, DENIALS, SAFETY];
}
