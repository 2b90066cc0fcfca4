// Where `src/` loads on demand: one list of doors for each floor, which only names what it loads, so any file of its floor may
// ask it. That what stands behind a door asks the list again is no cycle: nothing runs until somebody asks.

export const LISTS_OF_DOORS = [
  'src/cli/doors.ts',
  'src/context/doors.ts',
  'src/engine/doors.ts',
  'src/host/doors.ts',
  'src/providers/doors.ts',
  'src/sdk/features.ts',
  'src/session/features.ts',
  'src/tools/bodies.ts',
  'src/tui/doors.ts',
];

/** What loads something itself all the same, and why. */
export const LOADS_ITSELF = new Map([
  ['src/cli/main.ts', 'what is loaded before the compile cache is on is not kept in it'],
  ['src/mcp/server-definition.ts', 'its floor loads this alone'],
  ['src/secrets/create-vault.ts', 'its floor loads this alone'],
  ['src/tools/files/pdf-pages.ts', 'runs in a thread of its own, where the list would bring the core along'],
  ['src/view/diff-lines.ts', 'its floor loads this alone'],
]);
