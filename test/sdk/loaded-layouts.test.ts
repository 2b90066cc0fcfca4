// Fifty generated layouts of folders: what a session has of skills, agents and commands is what docs/skills.md says, and every
// other candidate is refused with a reason.
import path from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createMemoryHost } from '../../src/host/memory/memory-host.js';
import { loadedIn } from '../../src/sdk/faces/doctor.js';

const LAYOUTS = 50;
const FOLDERS = ['.turnwright', '.claude', '.qoder'];
const KINDS = ['skill', 'agent', 'command'] as const;
type Kind = (typeof KINDS)[number];
const NAMES = ['alpha', 'beta', 'gamma'];
/** What stands in a file: what may be used, or what may not. */
const STATES = ['good', 'good', 'good', 'odd'] as const;

interface Candidate {
  readonly kind: Kind;
  readonly name: string;
  readonly state: (typeof STATES)[number];
  /** A number into the places of the layout. */
  readonly at: number;
}

interface Layout {
  /** Folders between the top of the repository and the working directory. */
  readonly depth: number;
  readonly isTrusted: boolean;
  readonly candidates: readonly Candidate[];
}

const layouts = fc.record({
  depth: fc.nat(2),
  isTrusted: fc.boolean(),
  candidates: fc.array(
    fc.record({
      kind: fc.constantFrom(...KINDS),
      name: fc.constantFrom(...NAMES),
      state: fc.constantFrom(...STATES),
      at: fc.nat(14),
    }),
    { maxLength: 24 },
  ),
});

interface Place {
  readonly folder: string;
  readonly scope: 'project' | 'user' | 'plugin';
}

/** From the nearest to the farthest, as the page has it: the working directory and those above it, the user's, plugins. */
function placesOf({ depth }: Layout): { readonly cwd: string; readonly places: readonly Place[] } {
  const above = ['/repo', '/repo/one', '/repo/one/two'].slice(0, depth + 1).reverse();
  const inProject = above.flatMap((base) =>
    FOLDERS.map((name) => ({ folder: path.join(base, name), scope: 'project' }) as const),
  );
  const ofUser = ['/tw-home', '/home/me/.claude', '/home/me/.qoder'].map(
    (folder) => ({ folder, scope: 'user' }) as const,
  );
  return { cwd: above[0] ?? '/repo', places: [...inProject, ...ofUser, { folder: '/plugins/kit', scope: 'plugin' }] };
}

function fileOf({ kind, name, state }: Candidate, { folder }: Place): readonly [string, string] {
  const text =
    state === 'good' ? `---\nname: ${name}\ndescription: Does ${name}\n---\nDo it.` : '---\nbroken\n---\nDo it.';
  switch (kind) {
    case 'skill':
      return [`${folder}/skills/${name}/SKILL.md`, text];
    case 'agent':
      return [`${folder}/agents/${name}.md`, text];
    case 'command':
      return [
        `${folder}/commands/${name}.md`,
        state === 'good' ? `---\ndescription: Does ${name}\n---\nDo it.` : '---\nbroken\n---\nDo.',
      ];
  }
}

/** The documented algorithm, once more: the nearest that may be used has the name. */
function expected(layout: Layout): { readonly loaded: string[]; readonly rejected: string[] } {
  const { places } = placesOf(layout);
  const [loaded, rejected]: [string[], string[]] = [[], []];
  for (const kind of KINDS) {
    const taken = new Set<string>();
    for (const [index, place] of places.entries()) {
      const here = layout.candidates.filter(({ kind: own, at }) => own === kind && at % places.length === index);
      const files = new Map(here.map((candidate) => [fileOf(candidate, place)[0], candidate]));
      for (const [file, candidate] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
        const name = place.scope === 'plugin' ? `kit:${candidate.name}` : candidate.name;
        const isUsable = candidate.state === 'good' && (place.scope !== 'project' || layout.isTrusted);
        // A command of a name that is taken can still be called by its folder; these lie in none.
        if (isUsable && !taken.has(name)) {
          taken.add(name);
          // A skill is a command too.
          const isSkill = kind === 'command' && loaded.some((each) => each.startsWith(`skill ${name} `));
          if (isSkill) rejected.push(`${kind} ${file}`);
          else loaded.push(`${kind} ${name} ${file}`);
        } else rejected.push(`${kind} ${file}`);
      }
    }
  }
  return { loaded: loaded.sort(), rejected: rejected.sort() };
}

it('counts what the documented order says, and refuses the rest with a reason', async () => {
  await fc.assert(
    fc.asyncProperty(layouts, async (layout) => {
      const { cwd, places } = placesOf(layout);
      const files: Record<string, string> = {
        '/repo/.git/HEAD': 'ref: refs/heads/main\n',
        '/repo/one/two/file.txt': '',
        '/plugins/kit/.claude-plugin/plugin.json': '{"name":"kit"}',
        '/tw-home/settings.json': '{"plugins":["/plugins/kit"]}',
      };
      for (const candidate of layout.candidates) {
        const place = places[candidate.at % places.length] as Place;
        const [file, text] = fileOf(candidate, place);
        files[file] = text;
      }
      const own = createMemoryHost({ files });
      const host = {
        ...own,
        env: { TURNWRIGHT_HOME: '/tw-home' },
        platform: { ...own.platform, homedir: '/home/me', cwd },
      };
      const { loaded, rejected } = await loadedIn(host, cwd, layout.isTrusted);
      const isMeant = ({ kind }: { readonly kind: string }) => (KINDS as readonly string[]).includes(kind);
      expect({
        loaded: loaded
          .filter(isMeant)
          .map(({ kind, name, source }) => `${kind} ${name} ${source}`)
          .sort(),
        rejected: rejected
          .filter(isMeant)
          .map(({ kind, source }) => `${kind} ${source}`)
          .sort(),
      }).toEqual(expected(layout));
      for (const { reason } of rejected) expect(reason).not.toBe('');
    }),
    { numRuns: LAYOUTS, seed: 42 },
  );
});
