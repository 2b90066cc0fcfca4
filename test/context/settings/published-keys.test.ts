// The keys of the published products: each has a row, what is said to act is a key of ours, and nothing is passed by in silence.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { schemaAt } from '../../../src/context/settings/merge.js';
import { publishedKey, publishedKeys, translatePublished } from '../../../src/context/settings/published-keys.js';
import { readSettings } from '../../../src/context/settings/read-file.js';

interface Listed {
  readonly claude: { readonly keys: readonly string[] };
  readonly qoder: { readonly keys: readonly string[] };
}

const LISTED = JSON.parse(
  readFileSync(new URL('../../fixtures/published-settings.json', import.meta.url), 'utf8'),
) as Listed;
const ALL = [...LISTED.claude.keys, ...LISTED.qoder.keys];
const PLACE = { scope: 'user', file: '/s.json', base: '/' } as const;

/** Also of an object that is one of several forms. */
function ownSchema(key: string) {
  const [first = '', ...rest] = key.split('.');
  const forms = schemaAt([first])?.anyOf ?? [];
  return schemaAt(key.split('.')) ?? forms.find(({ properties }) => properties?.[rest.join('.')] !== undefined) ?? null;
}

/** A whole object is there if all that the products have in it has a row. */
const GROUPS = ['worktree', 'sandbox.credentials'];

describe('a key of a published product', () => {
  it.each(ALL)('%s acts, or has a row that says what becomes of it', (key) => {
    const own = ownSchema(key);
    const row = publishedKey(key);
    const hasParts = GROUPS.includes(key) && ALL.some((each) => each.startsWith(`${key}.`));
    expect(own !== null || row !== null || hasParts).toBe(true);
    // A row for what acts by itself would never be read.
    if (own !== null) expect(row).toBeNull();
  });

  it.each(publishedKeys())('%s of a row is one that a product has, and leads to a key of ours', (key) => {
    expect(ALL).toContain(key);
    const row = publishedKey(key);
    if (row?.how === 'as') expect(schemaAt(row.why.split('.'))).not.toBeNull();
  });
});

it('counts in our words, and what has no effect says why', async () => {
  const { layer, problems } = await readSettings(
    {
      effortLevel: 'high',
      autoCompactEnabled: false,
      fallbackModel: ['sonnet', 'default'],
      alwaysThinkingEnabled: true,
      theme: 'dark-daltonized',
      preferredNotifChannel: 'terminal_bell',
      permissions: { defaultMode: 'manual', deny: ['Read(.env)'] },
      general: { defaultPermissionMode: 'bypass_permissions', vimMode: true },
      sandbox: {
        filesystem: { denyRead: ['/a'] },
        credentials: { files: [{ path: '~/.aws', mode: 'deny' }], envVars: [{ name: 'GH_TOKEN', mode: 'deny' }] },
        failIfUnavailable: true,
      },
      spinnerTipsEnabled: false,
      plansDirectory: './plans',
      noSuchKey: 1,
    },
    PLACE,
  );
  expect(layer?.values).toEqual({
    effort: 'high',
    autoCompact: false,
    fallback: ['sonnet'],
    thinking: { type: 'adaptive' },
    theme: 'dark',
    notifications: 'bell',
    editorMode: 'vim',
    permissions: { defaultMode: 'default', deny: ['Read(.env)'] },
    sandbox: { filesystem: { denyRead: ['/a', '~/.aws'] } },
    hideVariables: ['GH_TOKEN'],
  });
  const said = (key: string) => problems.find((problem) => problem.key === key);
  expect(said('spinnerTipsEnabled')).toMatchObject({
    isIdle: true,
    message: expect.stringContaining('another terminal'),
  });
  expect(said('plansDirectory')).toMatchObject({
    isIdle: true,
    message: expect.stringContaining('has no effect here'),
  });
  expect(said('sandbox.failIfUnavailable')).toMatchObject({ message: expect.stringContaining('is so in any case') });
  expect(said('noSuchKey')).toMatchObject({ message: 'is not known' });
  expect(said('noSuchKey')).not.toHaveProperty('isIdle');
  expect(problems).toHaveLength(4);
});

it('reads the sandbox, the theme and the switches of Qoder in our words', async () => {
  const read = async (values: object) => {
    const { layer, problems } = await readSettings(values, PLACE);
    return { values: layer?.values, told: problems.map(({ key }) => key) };
  };
  expect(
    await read({
      tools: { sandbox: { enabled: true, command: 'docker', allowedPaths: ['/data'], networkAccess: false } },
      security: { disableYoloMode: true, folderTrust: { enabled: false } },
      general: { maxAttempts: 4, fileCheckpointing: { enabled: false } },
      ui: { theme: 'Tokyo Night', autoThemeSwitching: true },
      context: { fileName: ['NOTES.md'] },
    }),
  ).toEqual({
    values: {
      sandbox: { enabled: true, filesystem: { allowWrite: ['/data'] } },
      permissions: { disableBypassPermissionsMode: 'disable' },
      retry: { maxRetries: 3 },
      enableFileCheckpointing: false,
      theme: 'dark',
    },
    told: expect.arrayContaining([
      'tools.sandbox.command',
      'tools.sandbox.networkAccess',
      'security.folderTrust.enabled',
      'ui.autoThemeSwitching',
      'context.fileName',
    ]),
  });
  for (const sandbox of [true, 'docker', 'podman'])
    expect(await read({ tools: { sandbox } })).toEqual({ values: { sandbox: { enabled: true } }, told: [] });
  expect((await read({ tools: { sandbox: false } })).values).toEqual({ sandbox: { enabled: false } });
  expect((await read({ security: { disableYoloMode: false } })).values ?? {}).toEqual({});
  expect((await read({ security: { disableYoloMode: 'yes' } })).values).toEqual({
    permissions: { disableBypassPermissionsMode: 'disable' },
  });
  expect((await read({ ui: { theme: 'GitHubLight' } })).values).toEqual({ theme: 'light' });
});

it('keeps what confines when it is misspelt or not understood', async () => {
  const read = async (values: object) => (await readSettings(values, { ...PLACE, scope: 'managed' })).layer?.values;
  expect(await read({ permissions: { blockWritesOutsideWorkingDirectories: 'yes' } })).toEqual({
    permissions: { blockWritesOutsideWorkingDirectories: true },
  });
  expect(await read({ permissions: { denyInsteadOfPromting: true } })).toEqual({
    permissions: { denyInsteadOfPrompting: true },
  });
  expect(await read({ strictPluginOnlyCustomization: ['skillz'] })).toEqual({ strictPluginOnlyCustomization: true });
  expect(await read({ strictKnownMarketplaces: 'none' })).toEqual({ strictKnownMarketplaces: [] });
  expect(await read({ disableAutoMode: true })).toEqual({ disableAutoMode: 'disable' });
});

it('knows a mode however a product writes it', async () => {
  for (const [said, meant] of [
    ['dont_ask', 'dontAsk'],
    ['DONT_ASK', 'dontAsk'],
    ['DontAsk', 'dontAsk'],
    ['accept_edits', 'acceptEdits'],
    ['Plan', 'plan'],
  ]) {
    const { layer, problems } = await readSettings({ general: { defaultPermissionMode: said } }, PLACE);
    expect([layer?.values, problems]).toEqual([{ permissions: { defaultMode: meant } }, []]);
  }
});

it('leaves what is no object, and what is said in our words, as it is', () => {
  expect(translatePublished('x').value).toBe('x');
  expect(translatePublished({ effortLevel: 'low', effort: 'high' }).value).toEqual({ effort: 'high' });
});

const PAGE = readFileSync(new URL('../../../docs/settings-of-other-products.md', import.meta.url), 'utf8');

/** The line of a key, as the page has it. */
function lineOf(key: string): string {
  const row = publishedKey(key);
  const words = {
    as: 'acts as',
    nothing: 'means nothing here:',
    lacks: 'has no effect yet:',
    acts: 'is so in any case:',
  };
  if (row === null) return `| \`${key}\` | acts |`;
  return `| \`${key}\` | ${words[row.how]} ${row.how === 'as' ? `\`${row.why}\`` : row.why} |`;
}

it.each(['claude', 'qoder'] as const)('stands on the page about other products: %s', (product) => {
  const lines = LISTED[product].keys.filter((key) => !GROUPS.includes(key)).map(lineOf);
  expect(lines.filter((line) => !PAGE.includes(line))).toEqual([]);
});
