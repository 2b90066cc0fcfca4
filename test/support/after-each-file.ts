// Run with every test file. Files share a process and its modules, so what a module made for the tests of one file goes
// when that file is over, not when the process ends.
import { afterAll } from 'vitest';
import { removeSharedFolders } from './shared-folder.js';

afterAll(removeSharedFolders);
