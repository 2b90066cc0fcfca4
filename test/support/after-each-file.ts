// Run with every test file. Files share a process and its modules, so what a module made for the tests of one file goes
// when that file is over, not when the process ends. And a property that names no seed has that of the run: what fails once
// fails each time.
import fc from 'fast-check';
import { afterAll } from 'vitest';
import { SEED } from './figures.js';
import { endLastingExec } from './lasting-host.js';
import { removeSharedFolders } from './shared-folder.js';

afterAll(removeSharedFolders);
afterAll(endLastingExec);
fc.configureGlobal({ seed: SEED });
