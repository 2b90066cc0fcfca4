// Every option of `query()`, by topic: the one place in which an option is declared.
import { LIMITS } from './limits.js';
import { MESSAGES } from './messages.js';
import { MODELS } from './models.js';
import { PERMISSIONS } from './permissions.js';
import { PROCESSES } from './processes.js';
import { SESSIONS } from './sessions.js';
import { WORK } from './work.js';

/** By the heading of the topic in the reference. */
export const DECLARED = {
  'Models and providers': MODELS,
  Limits: LIMITS,
  'Workspace, tools and agents': WORK,
  Permissions: PERMISSIONS,
  'Sessions and settings': SESSIONS,
  'Messages and answers': MESSAGES,
  'Without effect here': PROCESSES,
} as const;
