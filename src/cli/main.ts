#!/usr/bin/env node
// The entry of the command line, and nothing else: a file that runs when it is loaded must share none with the library.
import { runCommandLine } from './command-line.js';

await runCommandLine(process.argv.slice(2));
