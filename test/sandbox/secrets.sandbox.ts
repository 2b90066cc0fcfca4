// A command that names a secret by its placeholder: inside the sandbox it has the secret, and the model never does.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { query } from '../../src/sdk/query.js';
import { collect } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { secretSamples } from '../secrets/secret-samples.js';
import { sandboxed } from '../support/sandboxed.js';

const SAMPLES = secretSamples(21);
const EACH = 10;
const parts = Array.from({ length: Math.ceil(SAMPLES.length / EACH) }, (_, at) => at * EACH);

it.each(parts)(
  'a command in the sandbox has a secret that was read, and nobody sees it: from kind %i on',
  async (at) => {
    const { workspace, home } = await sandboxed();
    for (const { kind, text: given, secret } of SAMPLES.slice(at, at + EACH)) {
      const file = path.join(workspace, 'notes.txt');
      await writeFile(file, given);
      await writeFile(path.join(workspace, 'wanted.txt'), secret);
      const seen = (messages: unknown) => /\{secret:[^}]*\}/.exec(JSON.stringify(messages))?.[0] ?? 'none';
      const compare = (word: string) =>
        `printf '%s' ${word} | cmp - wanted.txt && echo same; echo ${word} | base64 -w0`;
      const model = scriptedModel([
        toolCall('Read', { file_path: file }),
        ({ messages }) => toolCall('Bash', { command: compare(`'${seen(messages)}'`) }),
        // If a shell would act on it, the answer names a variable.
        ({ messages }) => {
          const [variable] = /\$TURNWRIGHT_SECRET_[0-9A-F]{10}/.exec(JSON.stringify(messages.at(-1))) ?? [];
          return variable === undefined ? text('done') : toolCall('Bash', { command: compare(`"${variable}"`) });
        },
        text('done'),
      ]);
      const options = {
        provider: model,
        cwd: workspace,
        canUseTool: async () => ({ behavior: 'allow' as const }),
        sandbox: { enabled: true },
        env: { TURNWRIGHT_HOME: path.join(home, '.turnwright') },
      };
      const messages = await collect(query({ prompt: 'go', options }));
      const shown = JSON.stringify([messages, model.requests]);
      expect({ kind, isUsed: shown.includes('same\\\\n') || shown.includes('same\\n') }).toEqual({
        kind,
        isUsed: true,
      });
      expect(shown).not.toContain(JSON.stringify(secret).slice(1, -1));
      expect(shown).not.toContain(Buffer.from(secret).toString('base64').slice(0, 20));
    }
  },
);
