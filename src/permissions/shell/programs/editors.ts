// Editors and viewers: they run commands by their own.
import type { Programs } from './program-table.js';

export const EDITORS: Programs = {
  // Editors run commands by their own.
  'vi vim nvim view ex gvim vimdiff emacs emacsclient nano pico ed red joe micro hx kak': {
    options: {
      code: '-c -S -s --cmd --eval -e -l --load -f --funcall -E',
      acts: '-u -U -i -w -W -q --rcfile',
      risk: '-',
    },
    operands: 'write',
    plusActs: true,
  },
  'less more most pg bat batcat': {
    options: {
      acts: '-k --lesskey-file --pager --lesskey-src --lesskey-content',
      write: '-o -O --log-file --LOG-FILE',
      value: '-p -P -b -h -j -t -T -x -y -z -l --language --theme',
    },
    operands: 'read',
    plusActs: true,
  },
  'man info apropos whatis': {
    options: {
      shell: '-P --pager -H --html',
      acts: '-C --config-file -M --manpath -p --preprocessor -T --troff-device -l --local-file',
      value: '-s -S -e -L -m -r -R -E -K -f -k',
    },
    operands: 'paths',
  },
};
