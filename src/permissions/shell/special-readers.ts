// Programs whose words have a grammar of their own.
import { readAwk } from './readers/read-awk.js';
import { readCurl } from './readers/read-curl.js';
import { readFind } from './readers/read-find.js';
import { readGit } from './readers/read-git.js';
import {
  readBusybox,
  readDd,
  readEnv,
  readJq,
  readMake,
  readParallel,
  readRsync,
  readXargs,
} from './readers/read-others.js';
import { readPackages } from './readers/read-packages.js';
import { readSed } from './readers/read-sed.js';
import { readShell } from './readers/read-shell.js';
import { readSql } from './readers/read-sql.js';
import { readTar } from './readers/read-tar.js';
import { readPatch, readUnpacker } from './readers/read-unpackers.js';
import { readWget } from './readers/read-wget.js';
import type { ProgramTable, SpecialReader } from './tables/program-table.js';
import type { Task } from './task.js';

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
