// The parts of a set-up, in the order in which they are told.
import type { Part } from './finding.js';
import { lookAtHooks, lookAtLoaded, lookAtServers, lookAtSettings, lookAtSkills, lookAtTrust } from './folder-parts.js';
import { lookAtDisk, lookAtRuntime, lookAtSandbox, lookAtSessions, lookAtTools } from './machine-parts.js';
import { lookAtModel, lookAtNetwork } from './model-parts.js';

export const PARTS: readonly Part[] = [
  { name: 'runtime', title: 'Node.js and terminal', look: lookAtRuntime },
  { name: 'model', title: 'Keys and model', look: lookAtModel },
  { name: 'network', title: 'Network', look: lookAtNetwork },
  { name: 'sandbox', title: 'Sandbox', look: lookAtSandbox },
  { name: 'programs', title: 'Search and git', look: lookAtTools },
  { name: 'settings', title: 'Settings and rules', look: lookAtSettings },
  { name: 'trust', title: 'Trust of this folder', look: lookAtTrust },
  { name: 'hooks', title: 'Hooks', look: lookAtHooks },
  { name: 'servers', title: 'MCP servers of the project', look: lookAtServers },
  { name: 'skills', title: 'Skills', look: lookAtSkills },
  { name: 'loaded', title: 'What a session here has of files and plugins', look: lookAtLoaded },
  { name: 'sessions', title: 'Stored sessions', look: lookAtSessions },
  { name: 'disk', title: 'Disk', look: lookAtDisk },
];
