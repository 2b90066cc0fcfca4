// What a command's output is, beside its text: an image, a change of git's, an exit code that is an answer. One rule: it is
// read from what was printed and written, and nothing is run for it.
import type { HostFs } from '../../host/host.js';
import type { BashOutput } from '../../protocol/tool-io.js';
import { isWholeImage, readImageHeader } from '../../util/image-header.js';
import type { ShownOutput } from './command-output.js';

type GitOperation = NonNullable<BashOutput['gitOperation']>;
type MediaType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';

export interface PrintedImage {
  readonly type: 'base64';
  readonly media_type: MediaType;
  readonly data: string;
}

/** As the Messages API takes them, which are the narrowest limits. */
const IMAGE_BYTES = 5 * 1_024 * 1_024;
const IMAGE_SIDE = 8_000;
/** Of a file that holds all that was printed. */
const MAX_PRINTED_BYTES = Math.ceil((IMAGE_BYTES * 4) / 3) + 1_024;
const DATA_ADDRESS = /^data:(image\/(?:png|jpeg|gif|webp));base64,([A-Za-z0-9+/\s]+={0,2})\s*$/;
const HEAD_CHARACTERS = 256 * 1_024;
const TAIL_CHARACTERS = 64 * 1_024;

/** The image that a command printed as one data address and nothing beside it; null if it is none that a model takes. */
export async function printedImage({ stdout, stderr, file }: ShownOutput, fs: HostFs): Promise<PrintedImage | null> {
  if (!stdout.startsWith('data:image/') || stderr !== '' || (file !== null && file.size > MAX_PRINTED_BYTES))
    return null;
  const printed = file === null ? stdout : await fs.readFile(file.path).then(decode, () => ''); // gone: its text is shown
  const [, mediaType, encoded = ''] = DATA_ADDRESS.exec(printed.trim()) ?? [];
  const data = encoded.replace(/\s+/g, '');
  const length = Math.floor((data.replace(/=+$/, '').length * 3) / 4);
  if (mediaType === undefined || data.length % 4 !== 0 || length > IMAGE_BYTES) return null;
  const head = atob(data.slice(0, HEAD_CHARACTERS));
  const tail = data.length <= HEAD_CHARACTERS ? head : atob(data.slice(-TAIL_CHARACTERS));
  const header = readImageHeader(head);
  if (header === null || header.mediaType !== mediaType || header.width === 0 || header.height === 0) return null;
  if (Math.max(header.width ?? 0, header.height ?? 0) > IMAGE_SIDE) return null;
  return isWholeImage(header.mediaType, head, tail, length)
    ? { type: 'base64', media_type: header.mediaType as MediaType, data }
    : null;
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** Exit codes that are answers: what programs say by them that did not fail. */
const MEANINGS: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  grep: { 1: 'No matches found' },
  egrep: { 1: 'No matches found' },
  fgrep: { 1: 'No matches found' },
  rg: { 1: 'No matches found' },
  diff: { 1: 'Files differ' },
  cmp: { 1: 'Files differ' },
  find: { 1: 'Some folders could not be read' },
  test: { 1: 'The condition is false' },
  '[': { 1: 'The condition is false' },
};

/** What the exit code of a line says whose last program is one of these; null if it says nothing else. */
export function readExitCode(command: string, exitCode: number): string | null {
  if (exitCode === 0) return null;
  const program = programsOf(command).at(-1) ?? '';
  return Object.hasOwn(MEANINGS, program) ? (MEANINGS[program]?.[exitCode] ?? null) : null;
}

const SILENT =
  /^(?:mv|cp|rm|mkdir|rmdir|chmod|chown|chgrp|touch|ln|cd|pushd|popd|export|unset|set|wait|true|:|sleep|kill)$/;

/** True for a line whose programs all say nothing if they succeed. */
export function isSilent(command: string): boolean {
  const programs = programsOf(command);
  return programs.length > 0 && programs.every((program) => SILENT.test(program));
}

/** First words of its commands, without the variables that are set for them. */
function programsOf(command: string): string[] {
  const parts = command.split(/\|\||&&|[|;&\n]/).filter((part) => part.trim() !== '');
  return parts.map((part) => /^\s*(?:\w+=\S*\s+)*(\S+)/.exec(part)?.[1] ?? '');
}

/** For a command of gh that GitHub refused as one too many; null for any other. */
export function gitHubLimitNote(command: string, { stdout, stderr }: ShownOutput): string | null {
  if (!/\bgh\b/.test(command)) return null;
  if (!/API rate limit (?:already )?exceeded|secondary rate limit/i.test(`${stderr}\n${stdout}`)) return null;
  return '[GitHub answers no more requests of this account for now. Do not repeat the command at once: `gh api rate_limit` says when the limit starts anew and does not count itself. Go on with what needs no GitHub, or tell the user.]';
}

/** What git says that a line did. Absent fields: nothing of that was seen. */
export function gitOperation(command: string, { stdout, stderr }: ShownOutput): GitOperation | null {
  if (!/\bgit\b|\bgh\b/.test(command)) return null;
  const said = `${stdout}\n${stderr}`;
  const found: GitOperation = {
    ...commitOf(command, said),
    ...pushOf(command, said),
    ...branchOf(command, said),
    ...pullRequestOf(command, said),
  };
  return Object.keys(found).length === 0 ? null : found;
}

function commitOf(command: string, said: string): Pick<GitOperation, 'commit'> {
  if (!/\bgit\b[^|;&\n]*\b(?:commit|cherry-pick)\b/.test(command)) return {};
  const [, branch = '', sha] = /^\[(.+?)(?: \(root-commit\))? ([0-9a-f]{7,40})\] /m.exec(said) ?? [];
  if (sha === undefined) return {};
  const kind = /\bcherry-pick\b/.test(command) ? 'cherry-picked' : /--amend\b/.test(command) ? 'amended' : 'committed';
  return { commit: { sha, kind, ...(branch.startsWith('detached') ? {} : { branch }) } };
}

function pushOf(command: string, said: string): Pick<GitOperation, 'push'> {
  if (!/\bgit\b[^|;&\n]*\bpush\b/.test(command)) return {};
  const [, branch] = /^ (?:[ +*]) (?:[0-9a-f]+\.{2,3}[0-9a-f]+|\[new branch\])\s+\S+ -> (\S+)/m.exec(said) ?? [];
  return branch === undefined ? {} : { push: { branch } };
}

function branchOf(command: string, said: string): Pick<GitOperation, 'branch'> {
  const [, verb, ref] = /\bgit\b[^|;&\n]*?\b(merge|rebase)\s+(?:-\S+\s+)*([^\s|;&-][^\s|;&]*)/.exec(command) ?? [];
  if (verb === undefined || ref === undefined) return {};
  if (verb === 'merge' && /^(?:Merge made by|Fast-forward)/m.test(said)) return { branch: { ref, action: 'merged' } };
  return verb === 'rebase' && said.includes('Successfully rebased') ? { branch: { ref, action: 'rebased' } } : {};
}

const PULL_REQUEST_ACTIONS = {
  create: 'created',
  edit: 'edited',
  merge: 'merged',
  comment: 'commented',
  close: 'closed',
  reopen: 'reopened',
  ready: 'ready',
} as const;

/** What flags make of two of these. */
function pullRequestAction(verb: string, command: string) {
  if (verb === 'ready' && /\s--undo\b/.test(command)) return 'draft';
  if (verb === 'merge' && /\s--disable-auto\b/.test(command)) return 'auto-merge-disabled';
  if (verb === 'merge' && /\s--auto\b/.test(command)) return 'auto-merge-enabled';
  return PULL_REQUEST_ACTIONS[verb as keyof typeof PULL_REQUEST_ACTIONS];
}

function pullRequestOf(command: string, said: string): Pick<GitOperation, 'pr'> {
  const [, verb, named] =
    /\bgh\s+pr\s+(create|edit|merge|comment|close|reopen|ready)\b(?:\s+(\d+))?/.exec(command) ?? [];
  if (verb === undefined) return {};
  const [url, shown] = /https:\/\/\S+\/pull\/(\d+)/.exec(said) ?? [];
  const number = Number(shown ?? named ?? Number.NaN);
  if (!Number.isInteger(number)) return {};
  const action = pullRequestAction(verb, command);
  return { pr: { number, action, ...(url === undefined ? {} : { url }) } };
}
