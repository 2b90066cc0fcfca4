// The plan of one session: a file beside its transcript, which goes with the session. One
// rule: it is the only file that mode plan lets the model write.
import path from 'node:path';
import { planModeNote } from '../../engine/state/index.js';
import { type Host, isFileError } from '../../host/host.js';
import type { PlanFile } from '../../permissions/permission-call.js';
import type { PlanAccess } from '../../tools/tool.js';

export interface SessionPlan extends PlanAccess {
  /** For the rules; null if nothing is kept. */
  readonly place: PlanFile | null;
  /** True once after a plan was approved: then the model knows that the mode is over. */
  takeApproved(): boolean;
}

/** A longer plan is none that anybody reads. */
const MAX_BYTES = 1_000_000;

/**
 * @param folder of the session; null if it keeps none
 * @param instructions in place of the usual way to plan
 */
export async function openPlan(
  host: Host,
  folder: string | null,
  instructions: string | undefined,
): Promise<SessionPlan> {
  const file = folder === null ? null : path.join(folder, 'plan.md');
  const place = file === null ? null : { path: file, realPath: (await host.fs.locate(file)).realPath };
  let isApproved = false;
  return {
    file,
    place,
    workflow: planModeNote(file, instructions),
    approved() {
      isApproved = true;
    },
    takeApproved() {
      const was = isApproved;
      isApproved = false;
      return was;
    },
    read: async () => (file === null ? '' : readPlan(host, file)),
    async write(plan) {
      if (file !== null) await host.fs.writeFileAtomic(file, `${plan.trimEnd()}\n`);
    },
  };
}

async function readPlan(host: Host, file: string): Promise<string> {
  try {
    const { kind, size } = await host.fs.stat(file);
    if (kind !== 'file' || size > MAX_BYTES) return '';
    return new TextDecoder().decode(await host.fs.readFile(file)).trim();
  } catch (error) {
    // It was not written yet.
    if (isFileError(error) && error.code === 'ENOENT') return '';
    throw error;
  }
}
