// The floors: a file imports from its own folder and from lower floors, never from a higher one, types included.
// Folders of one floor do not import each other; the exceptions are named below. Cycles are found by `check-floors.mjs`.

const FLOORS = [
  ['util'],
  ['protocol'],
  ['providers', 'host'],
  ['tools', 'permissions', 'hooks', 'mcp', 'sandbox', 'context', 'subagents', 'secrets'],
  ['engine'],
  ['session'],
  ['sdk'],
];

/** Contracts that their own floor may name. */
const SHARED_CONTRACTS = [
  'tools/tool\\.ts$',
  'tools/file-state-cache\\.ts$',
  'permissions/rule\\.ts$',
  'sandbox/command-sandbox\\.ts$',
  'secrets/secret-vault\\.ts$',
];

/** Folders whose list is not simply "everything below". The command line loads the terminal by its entry. */
const BELOW_FACES = ['sdk', 'view', 'protocol', 'util'];
const FACES = new Map([
  ['cli', [...BELOW_FACES, 'host', 'tui/run-terminal\\.ts$']],
  ['tui', BELOW_FACES],
  ['acp', [...BELOW_FACES, 'host']],
  ['server', [...BELOW_FACES, 'host']],
]);

/** Floors whose folders are rooms, also to each other. */
const ROOMS = [
  'cli',
  'context',
  'engine',
  'host',
  'mcp',
  'providers',
  'sandbox',
  'sdk',
  'session',
  'testing',
  'tools',
  'tui',
];

const TOUCHES_THE_MACHINE = '^src/(host|providers|cli|tui|testing|sandbox/proxy)/';
const PURE_NODE_MODULES = '^(node:)?path(/posix|/win32)?$';

function mayImport(name, from, allowed, comment) {
  const pathNot = allowed.map((target) => (target.endsWith('$') ? `^src/${target}` : `^src/${target}/`));
  return { name, comment, severity: 'error', from: { path: from }, to: { path: '^src/', pathNot } };
}

const floorRules = FLOORS.flatMap((folders, floor) =>
  folders.map((folder) => {
    const below = FLOORS.slice(0, floor).flat();
    const contracts = folders.length > 2 ? SHARED_CONTRACTS : [];
    const extra = folder === 'providers' ? ['host/host\\.ts$'] : [];
    const comment = `${folder}/ is on floor ${floor}: it imports itself and what is below`;
    return mayImport(
      `floor-${floor}-${folder}`,
      `^src/${folder}/`,
      [folder, ...below, ...contracts, ...extra],
      comment,
    );
  }),
);

const faceRules = [...FACES].map(([folder, below]) =>
  mayImport(`floor-7-${folder}`, `^src/${folder}/`, [folder, ...below], `${folder}/ is a face: it sees the SDK`),
);

const terminalRules = [
  mayImport(
    'view-is-pure',
    '^src/view/',
    ['view', 'protocol', 'util'],
    'view/ says how messages look: text in, lines out',
  ),
  {
    name: 'terminal-library-in-one-file',
    severity: 'error',
    from: { path: '^src/', pathNot: '^src/tui/pi\\.ts$' },
    to: { path: 'node_modules/@earendil-works/pi-tui' },
  },
];

/** What is loaded on demand is named itself: a door would bring the whole room. */
function doorRules(floor) {
  const comment = 'a room has one door, its index.ts; only what is loaded on demand is named itself';
  // A dialect is a published surface, whose names its entry gathers.
  const inside = `^src/${floor}/(?!dialects/)[^/]+/`;
  const door = `^src/${floor}/[^/]+/index\\.ts$`;
  const rule = (name, from, pathNot) => ({
    name,
    comment,
    severity: 'error',
    from,
    to: { path: inside, pathNot, dynamic: false },
  });
  return [
    rule(`doors-of-${floor}`, { path: '^src/', pathNot: inside }, [door]),
    rule(`doors-within-${floor}`, { path: `^src/${floor}/([^/]+)/` }, [`^src/${floor}/$1/`, door]),
  ];
}

export default {
  forbidden: [
    ...floorRules,
    ...faceRules,
    ...terminalRules,
    mayImport(
      'published-surface',
      '^src/(index|claude|qoder|sdk-tools)\\.ts$',
      FLOORS.flat(),
      'index.ts gathers names of all floors but the faces',
    ),
    {
      name: 'providers-know-host-types-only',
      severity: 'error',
      from: { path: '^src/providers/' },
      to: { path: '^src/host/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'not-into-testing',
      comment: 'testing/ is for tests, ours and our users’; the engine never needs it',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/testing/' },
      to: { path: '^src/(testing/|(index|claude|qoder|sdk-tools)\\.ts$)' },
    },
    ...ROOMS.flatMap(doorRules),
    {
      name: 'shell-by-its-door',
      comment: 'what reads command lines is one room; what is loaded on demand is named itself',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/permissions/shell/' },
      to: { path: '^src/permissions/shell/', pathNot: '^src/permissions/shell/index\\.ts$', dynamic: false },
    },
    {
      name: 'offline-by-its-door',
      comment: 'nothing leans on the parts of the offline model, on demand neither',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/providers/offline/' },
      to: { path: '^src/providers/offline/', pathNot: '/index\\.ts$' },
    },
    {
      name: 'machine-through-host',
      comment: 'files, processes and the network are reached through the injected Host',
      severity: 'error',
      from: { path: '^src/', pathNot: TOUCHES_THE_MACHINE },
      to: { dependencyTypes: ['core'], pathNot: PURE_NODE_MODULES },
    },
    {
      name: 'no-node-at-the-bottom',
      comment: 'util/, protocol/ and view/ run in a browser',
      severity: 'error',
      from: { path: '^src/(util|protocol|view)/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'no-unresolvable',
      severity: 'error',
      from: { path: '^src/' },
      // Looked for at run time where the user has it.
      to: { couldNotResolve: true, pathNot: '^zod-to-json-schema$' },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
