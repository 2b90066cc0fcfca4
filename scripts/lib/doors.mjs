// Where `src/` loads on demand: one list of doors for each floor, which only names what it loads, so any file of its floor may
// ask it. That what stands behind a door asks the list again is no cycle: nothing runs until somebody asks.

export const LISTS_OF_DOORS = [
  'src/cli/doors.ts',
  'src/sdk/features.ts',
  'src/session/features.ts',
  'src/tools/bodies.ts',
  'src/tui/doors.ts',
];
