// Version control beside git.
import type { Programs } from './program-table.js';

export const OTHER_VERSION_CONTROL: Programs = {
  hg: {
    options: { acts: '--config --editor -e --ssh --remotecmd', folder: '-R --repository --cwd', write: '-o --output' },
    operands: 'paths',
  },
  svn: {
    options: {
      acts: '--config-option --config-dir --diff-cmd --diff3-cmd --editor-cmd',
      value: '-m --message -r --revision -c --change --username --password --depth',
      read: '-F --file --targets',
    },
    operands: 'paths',
  },
};
