#!/usr/bin/env node
// The entry of the command line, and nothing else: a file that runs when it is loaded must share none with the library.
import { useCompileCache } from './compile-cache.js';

useCompileCache();
// Loaded behind it: of what was loaded before, nothing is kept.
const { runCommandLine } = await import('./command-line.js');
await runCommandLine(process.argv.slice(2));
