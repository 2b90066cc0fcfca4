// Holds what a line did against what nobody was asked about: a line that is allowed without any rule runs on the word of the
// description alone. Its rule: nothing is left out because it was reported, or because a script did it.
//
// In `default` and `plan` such a line only reads, inside the workspace: it changes nothing, starts no file of the fixture and
// no program but those that the line names, and calls nobody. In `acceptEdits` it may change files of the workspace that are
// not protected.
//
// What does not count: that git writes anew what its index says of the times of files, what a shell keeps in a file while it
// reads it, and settings and caches that a program makes for itself in the home folder.
import path from 'node:path';
import { createGitWatch } from '../../../../src/context/git/git-watch.js';
import { resolveSubject } from '../../../../src/engine/subject/index.js';
import { isInside } from '../../../../src/host/is-inside.js';
import { createNodeHost } from '../../../../src/host/node-host.js';
import { decidePermission } from '../../../../src/permissions/decide.js';
import { protectedPart } from '../../../../src/permissions/paths.js';
import type { CommandSubject, PermissionContext } from '../../../../src/permissions/permission-call.js';
import { searchPath } from './confinement.js';
import type { Fixture } from './fixture.js';
import type { Report, Unreported } from './judge.js';
import type { Effect, Image, TracedEffects } from './read-effects.js';

/** In which nobody is asked about some lines although there is no rule. */
export const FREE_MODES = ['default', 'plan', 'acceptEdits'] as const;
export type FreeMode = (typeof FREE_MODES)[number];

/** The modes that let the line run without any rule, as a session in the workspace decides. */
export async function freeModes({ subject }: Report, fixture: Fixture): Promise<readonly FreeMode[]> {
  if (!FREE_MODES.some((mode) => allows(mode, subject, fixture))) return [];
  // What a repository makes git start, and what stands on the PATH, is looked at only now: it can only forbid.
  const whole = await wholeSubject(subject.command, fixture);
  return FREE_MODES.filter((mode) => allows(mode, whole, fixture));
}

async function wholeSubject(command: string, { workspace, home }: Fixture): Promise<CommandSubject> {
  const machine = createNodeHost();
  const host = { ...machine, platform: { ...machine.platform, homedir: home } };
  const watch = { host, env: {}, cwd: workspace, home: path.join(home, '.turnwright') };
  const env = { PATH: searchPath() };
  const place = { host, cwd: workspace, env, gitWatch: async () => createGitWatch(watch) };
  const subject = await resolveSubject({ kind: 'command', command }, place);
  if (subject.kind !== 'command') throw new Error(`The subject of a command is a ${subject.kind}.`);
  return subject;
}

function allows(mode: FreeMode, subject: CommandSubject, { workspace, home }: Fixture): boolean {
  const context: PermissionContext = {
    mode,
    deny: [],
    ask: [],
    allow: [],
    roots: [workspace],
    home,
    keepsRemoved: true,
  };
  return decidePermission(context, { toolName: 'Bash', readOnly: false, subject }).behavior === 'allow';
}

/** What the line did that somebody should have been asked about. `modes`: those that let it run. */
export function unaskedOf(
  { subject }: Report,
  modes: readonly FreeMode[],
  { effects, beyond }: TracedEffects,
  fixture: Fixture,
): readonly Unreported[] {
  const [mode] = modes;
  if (mode === undefined) return [];
  const names = new Set((subject.reading?.programs ?? []).map(({ name }) => name));
  const context = `allowed in ${mode}`;
  return [...effects, ...beyond].flatMap((effect): Unreported[] => {
    const why = whyNot(effect, mode, names, fixture);
    return why === null ? [] : [{ effect, why: `unasked, ${why}`, context }];
  });
}

/** Why nobody should have let it happen; null if it is harmless. */
function whyNot(
  { kind, path: target, by }: Effect,
  mode: FreeMode,
  names: ReadonlySet<string | null>,
  fixture: Fixture,
): string | null {
  const { root, workspace } = fixture;
  const isOurs = isInside(root, target);
  if (kind === 'connect') return 'calls somebody';
  if (kind === 'run') {
    if (isOurs) return 'starts a file';
    const program = path.basename(target);
    return names.has(program) || isHelper(by, program) ? null : `starts ${program}`;
  }
  if (isOfProgram(target, fixture)) return null;
  const isOwn = isInside(workspace, target);
  if (kind === 'read' || kind === 'list') return isOwn ? null : 'reads outside';
  if (isBook(target, by)) return null;
  if (mode !== 'acceptEdits') return 'changes a file';
  if (!isOwn) return 'changes a file outside';
  return protectedPart([workspace], target) === null ? null : 'changes a protected file';
}

/** What a program makes for itself in the home folder, and does not act on as a shell or a session would (docs/security.md). */
function isOfProgram(target: string, { home, kinds }: Fixture): boolean {
  const [first = ''] = path.relative(home, target).split('/');
  return /^\.[^.]/.test(first) && !kinds.has(path.join(home, first)) && protectedPart([home], target) === null;
}

/** Devices, what a process has of itself, what a shell keeps while it reads it, and the times of files in an index. */
function isBook(target: string, { program }: Image): boolean {
  // The last is the output of the line, whose times `touch -` sets.
  if (/^\/(?:dev|proc)\/|^\/tmp\/output$/.test(target)) return true;
  if (/^\/tmp\/sh-thd/.test(target)) return /^(?:ba)?sh$/.test(program);
  if (/^\/tmp\/zgrep\w+$/.test(target)) return /^(?:mktemp|zgrep|rm)$/.test(program);
  // Input that it cannot go through from its end.
  if (/^\/tmp\/tac\w{6}$/.test(target)) return program === 'tac';
  // What it puts in order piece by piece.
  if (/^\/tmp\/sort\w{6}$/.test(target)) return program === 'sort';
  // What virtual machines of Java tell each other.
  if (/^\/tmp\/hsperfdata_/.test(target)) return true;
  return program === 'git' && /\/\.git\/index(?:\.lock)?$/.test(target);
}

const PACKERS = /^(?:gzip|bzip2|xz|lzma|lz4|zstd|zstdcat|z?[ef]?grep|sed|diff|cmp|cat|rm|mktemp|expr)$/;

/** Programs of the system that others start to do what they are asked, whatever a folder holds. */
const HELPERS: readonly (readonly [by: RegExp, started: RegExp])[] = [
  [/^(?:g|[bx]|lz|zst)?z?(?:std)?(?:cat|[ef]?grep|diff|cmp)$/, PACKERS],
  [/^(?:gunzip|uncompress|tar)$/, PACKERS],
  [/^[ef]grep$|^rgrep$/, /^grep$/],
  [/^npm$/, /^node$/],
  // Some of its subcommands are scripts.
  [/^git$/, /^(?:git-[\w-]+|basename|dirname|uname|sed|gettext|envsubst)$/],
  [/^red$/, /^s?ed$/],
  // A script that asks which letters this machine has.
  [/^nroff$/, /^locale$/],
  // It asks which machine this is.
  [/^meson$/, /^(?:dpkg-architecture|gcc)$/],
  // It is a script around it.
  [/^yq$/, /^jq$/],
  [/^xargs$/, /^echo$/],
];

function isHelper(by: Image, program: string): boolean {
  for (let image: Image | null = by; image !== null; image = image.parent)
    for (const [names, started] of HELPERS) if (names.test(image.program) && started.test(program)) return true;
  return false;
}
