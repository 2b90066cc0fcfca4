// Four projects: `unit` (npm test), `sandbox` (npm test, where bubblewrap works), `soak` (npm run soak) and `clients`
// (npm run test:clients).
import { mkdirSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Nor the files of their home: settings there count in every session. */
const HOME = join(tmpdir(), 'turnwright-test-home');
mkdirSync(HOME, { recursive: true });

// A test must not see the keys and settings of the person who runs it.
for (const name of Object.keys(process.env)) {
  const ours =
    /^(?:(?:ANTHROPIC|OPENAI|GEMINI|CLAUDE|QODER|TURNWRIGHT|BRAVE|TAVILY|EXA|SEARXNG)_|MAX_THINKING_TOKENS$)/.test(
      name,
    );
  if (ours && !/^TURNWRIGHT_(SOAK(_MINUTES)?|SEED|FIGURES|TEST_.*)$/.test(name)) delete process.env[name];
}

/** Those of the sandbox first: among the others each would end a worker of theirs, and all that it has loaded. */
class SandboxFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const [first, rest] = [true, false].map((wanted) =>
      sorted.filter(({ project }) => (project.name === 'sandbox') === wanted),
    );
    return [...(first ?? []), ...(rest ?? [])];
  }
}

export default defineConfig({
  test: {
    environment: 'node',
    pool: 'forks',
    // One more than cores: a third of the time tests wait for processes, timers and disks.
    maxWorkers: Math.min(8, availableParallelism() + 1),
    testTimeout: 120_000,
    // A limit ends what hangs and is no measure: a disk that stalls for half a minute fails no test.
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    // The order of files and tests is the same in each run.
    sequence: { shuffle: false, sequencer: SandboxFirst },
    setupFiles: ['./test/support/after-each-file.ts'],
    // Kept in node_modules/ by content: a run of one file spends most of its time on making JavaScript out of the sources.
    experimental: { fsModuleCache: true },
    reporters: [['default', { summary: false }], './scripts/lib/summary-reporter.mjs'],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/soak/**'],
          env: { HOME },
          // The files that a worker runs share its process and the modules that it has loaded: loading them anew for each
          // file was a third of the work. No module keeps a state, and no test changes what other files see.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'soak',
          include: ['test/soak/**/*.soak.ts'],
          testTimeout: 60 * 60_000,
          hookTimeout: 60_000,
          // One at a time: they measure.
          fileParallelism: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'clients',
          include: ['test/clients/**/*.clients.ts'],
          testTimeout: 120_000,
          fileParallelism: false,
        },
      },
      {
        extends: true,
        test: { name: 'sandbox', include: ['test/sandbox/**/*.sandbox.ts'], env: { HOME }, isolate: false },
      },
    ],
  },
});
