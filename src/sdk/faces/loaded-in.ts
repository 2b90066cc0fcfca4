// What a session in a folder would have of files and plugins, for people who look: `turnwright doctor`. Nothing is started.
import { findInstructionPlaces, readInstructions } from '../../context/instructions/index.js';
import { lookUpwards } from '../../context/look-upwards.js';
import type { Host } from '../../host/host.js';
import type { LoadedPart, RejectedPart } from '../../protocol/system-messages.js';
import type { LoadedParts } from '../plugins/index.js';
import { resolveOptions } from '../resolve-options.js';

/** As `system/init` has it, with the instruction files. @param cwd absolute. @throws ConfigError */
export async function loadedIn(host: Host, cwd: string, trustFolder: boolean): Promise<LoadedParts> {
  const config = await resolveOptions({ cwd, host, model: 'offline', ...(trustFolder ? { trustFolder } : {}) }, host);
  const { loaded, rejected } = config.loaded?.() ?? { loaded: [], rejected: [] };
  const sources = config.instructionSources ?? {};
  const { places, folders } = await findInstructionPlaces(host, cwd, await lookUpwards(host, cwd), sources);
  const read = await readInstructions(places, { host, cwd, folders, sources });
  return {
    loaded: [
      ...loaded,
      ...[...read.files, ...read.waiting.flatMap(({ files }) => files)].map(
        ({ source, type, file }): LoadedPart => ({
          kind: 'instructions',
          name: source,
          scope: type.toLowerCase(),
          source: file,
        }),
      ),
    ],
    rejected: [
      ...rejected,
      ...read.leftOut.map(
        ({ source, why }): RejectedPart => ({ kind: 'instructions', name: source, source, reason: why }),
      ),
    ],
  };
}
