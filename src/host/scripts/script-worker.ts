// The thread that runs one script and ends. What it runs is hostile: it has a machine of its own, and this thread gives it
// nothing but calls by name.
import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import type { FromScript, ScriptAnswer, ScriptEnd, ScriptWork } from './run-script.js';
import { openMachine } from './script-machine.js';

const port = parentPort;
const tell = (message: FromScript): void => port?.postMessage(message);
const { buffer, byteOffset, byteLength } = readFileSync(new URL('./quickjs.wasm', import.meta.url));
const wasm = buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer;
const machine = await openMachine(workerData as ScriptWork, wasm, (id, name, input) =>
  tell({ type: 'call', id, name, input }),
);
let answered = 0;

const report = (end: ScriptEnd | null): void => {
  if (end === null) tell({ type: 'waits', answered, runMs: machine.runMs });
  else {
    tell({ type: 'end', ...end });
    port?.close();
  }
};

port?.on('message', (answer: ScriptAnswer) => {
  answered += 1;
  report(machine.answer(answer));
});
tell({ type: 'begins' });
report(machine.begin());
