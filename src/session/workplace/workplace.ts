// The working directory of one agent. One rule: it is a folder of the workspace, by its real name, or the folder that the
// agent began in.
import path from 'node:path';
import { CWD_NOTE, type LoopHooks } from '../../engine/state/index.js';
import type { Host } from '../../host/host.js';
import { isInside } from '../../host/is-inside.js';

export interface Workplace {
  /** Where the agent began, or the worktree that it entered: what people write, and what rules mean, is relative to it. */
  readonly folder: string;
  /** Where its commands start and its relative paths begin. */
  readonly cwd: string;
  /**
   * A command of the agent ended in this folder. Contract: never throws.
   * @returns what the agent must be told; null if it knows
   */
  moveTo(to: string): Promise<string | null>;
  /** What the agent must be told if its directory is gone, which is set back then; null at once if it never moved. */
  lost(): Promise<string | null> | null;
  /**
   * As `startIn`, for what was decided about in that folder. Contract: never throws.
   * @returns why it is no place to be in any more, to follow its name; null if it is
   */
  returnTo(cwd: string): Promise<string | null>;
  /** Without a word to anybody: at the start of an agent, and with a new conversation. */
  startIn(cwd: string): void;
  /** The work goes on in another folder, such as a worktree. */
  enter(folder: string): Promise<void>;
  /** That of an agent which begins here, and goes its own ways. */
  forAgent(place: AgentPlace): Workplace;
}

interface AgentPlace {
  /** Told of each change. Contract: never throws. */
  onMoved(from: string, to: string): Promise<void>;
}

export interface WorkplaceOptions extends AgentPlace {
  readonly host: Pick<Host, 'fs'>;
  /** Absolute. */
  readonly folder: string;
  /** The folders of the workspace, absolute. */
  roots(): readonly string[];
}

/** A name with one of these could not be told in a line. */
const UNTOLD = /[\p{Cc}\p{Zl}\p{Zp}]/u;

export function createWorkplace({ host: { fs }, roots, ...given }: WorkplaceOptions): Workplace {
  let { folder } = given;
  let cwd = folder;
  const realOf = (target: string) => fs.realpath(target).catch(() => null); // what is gone is no place to be in
  const change = async (to: string): Promise<void> => {
    const from = cwd;
    cwd = to;
    if (from !== to) await given.onMoved(from, to);
  };
  const whyNot = async (real: string): Promise<string | null> => {
    if ((await fs.stat(real).catch(() => null))?.kind !== 'directory') return 'which is not a folder'; // gone since
    if (UNTOLD.test(real)) return 'whose name holds signs that cannot be told';
    const folders = await Promise.all([folder, ...roots()].map(realOf));
    return folders.some((root) => root !== null && isInside(root, real)) ? null : 'which is outside of the workspace';
  };
  return {
    get folder() {
      return folder;
    },
    get cwd() {
      return cwd;
    },
    async moveTo(to) {
      if (!path.isAbsolute(to)) return null;
      const [real, realCwd, realFolder] = await Promise.all([to, cwd, folder].map(realOf));
      if (real == null) return `[The working directory is still ${cwd}: the one that the command ended in is gone.]`;
      if (real === realCwd) return null;
      const problem = await whyNot(real);
      if (problem !== null)
        return `[The working directory is ${cwd} again: the command ended in ${UNTOLD.test(real) ? 'a folder' : real}, ${problem}.]`;
      await change(real === realFolder ? folder : real);
      return `${CWD_NOTE}${cwd}.]`;
    },
    lost() {
      if (cwd === folder) return null;
      return (async () => {
        const was = cwd;
        if ((await realOf(was)) === was && (await whyNot(was)) === null) return null;
        await change(folder);
        return `The working directory ${was} is gone, or was replaced. Nothing was done. ${CWD_NOTE}${folder}.]`;
      })();
    },
    async returnTo(to) {
      const real = await realOf(to);
      if (real !== to && to !== folder) return 'which is gone, or was replaced';
      const problem = real === null ? 'which is gone' : await whyNot(real);
      if (problem === null) cwd = to;
      return problem;
    },
    startIn(to) {
      cwd = to;
    },
    async enter(next) {
      folder = next;
      await change(next);
    },
    forAgent: (place) => {
      const own = createWorkplace({ host: { fs }, roots, folder, ...place });
      own.startIn(cwd);
      return own;
    },
  };
}

/** Hooks hear of it. Contract: never throws. */
export async function tellMoved(hooks: LoopHooks, old_cwd: string, new_cwd: string): Promise<void> {
  if (hooks.has('CwdChanged')) await hooks.run('CwdChanged', { old_cwd, new_cwd });
}
