// Programs that make, change and remove files by their names.
import { tailWord } from '../syntax/shell-word.js';
import type { Task } from '../task.js';
import { useFile } from './operands.js';
import type { Programs } from './program-table.js';

export const FILE_PROGRAMS: Programs = {
  'rm rmdir unlink srm trash trash-put': { options: { attached: '--interactive' }, operands: 'remove' },
  shred: {
    options: { value: '-n -s --iterations --size', read: '--random-source', attached: '--remove' },
    operands: 'remove',
  },
  'touch mkdir mkfifo truncate fallocate': {
    options: { value: '-d -m -s -t -l -o -Z --date --mode --size --time --length --offset', read: '-r --reference' },
    operands: 'write',
  },
  mknod: { options: { value: '-m --mode' }, operands: 'write' },
  mktemp: { options: { write: '-p --tmpdir', value: '--suffix' }, operands: 'write' },
  tee: { operands: 'write' },
  sponge: { operands: 'write' },
  'chmod chown chgrp chattr chcon': { options: { read: '--reference', value: '--from' }, operands: 'change' },
  setfacl: {
    options: { read: '--reference', value: '-m -x -M -X -s --modify --set' },
    operands: 'write',
  },
  dd: { read: readDd },
  split: {
    options: { acts: '--filter', value: '-a -b -C -l -n -t --additional-suffix --bytes --lines --number' },
    operands: 'write',
  },
  csplit: { options: { write: '-f --prefix', value: '-b -n --suffix-format --digits' }, operands: 'read' },
  'rename prename': { options: { code: '-e -E' }, operands: 'write' },
  'mount umount losetup mkfs mkfs.ext4 mkswap fdisk parted wipefs': { operands: 'write' },
  'xxd iconv uuencode uudecode': { options: { value: '-c -g -l -s -o -f -t', write: '--output' }, operands: 'filter' },
  base64: { options: { value: '-w --wrap -b', write: '-o --output', read: '-i --input' }, operands: 'read' },
};

/** `dd if=… of=…`. */
export function readDd(task: Task): void {
  for (const word of task.words.slice(1)) {
    const name = /^(if|of)=/.exec(word.head)?.[1];
    if (name === undefined) {
      if (word.value === null && !/^\w+=/.test(word.head)) useFile(task, word, 'write');
      continue;
    }
    const value = tailWord(word, 3);
    const access = name === 'if' ? 'read' : 'write';
    useFile(task, { ...value, tilde: word.tilde }, access);
  }
}
