// Programs whose words have a grammar of their own.
import { readAwk } from './read-awk.js';
import { readCurl } from './read-curl.js';
import { readFind } from './read-find.js';
import { readGit } from './read-git.js';
import {
  readBusybox,
  readDd,
  readEnv,
  readJq,
  readMake,
  readParallel,
  readRsync,
  readXargs,
} from './read-others.js';
import { readPackages } from './read-packages.js';
import { readSed } from './read-sed.js';
import { readShell } from './read-shell.js';
import { readSql } from './read-sql.js';
import { readTar } from './read-tar.js';
import { readPatch, readUnpacker } from './read-unpackers.js';
import { readWget } from './read-wget.js';
import type { ProgramTable, SpecialReader } from './program-table.js';
import type { Task } from '../task.js';

export const SPECIAL_READERS: Readonly<Record<SpecialReader, (task: Task, table: ProgramTable) => void>> = {
  awk: readAwk,
  busybox: readBusybox,
  curl: readCurl,
  dd: readDd,
  env: readEnv,
  find: readFind,
  git: readGit,
  jq: readJq,
  make: readMake,
  packages: readPackages,
  parallel: readParallel,
  patch: readPatch,
  rsync: readRsync,
  sed: readSed,
  shell: readShell,
  sql: readSql,
  tar: readTar,
  unpacker: readUnpacker,
  wget: readWget,
  xargs: readXargs,
};
