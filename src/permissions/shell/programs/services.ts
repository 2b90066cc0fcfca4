// Clients of services, and programs that encrypt.
import type { Programs } from './program-table.js';

/** Words of `gh`, `aws` and their like that name files with a sign in front: `@file`, `file://…`. */
const FILE_VALUES = /^(?:-[fF]|--(?:field|raw-field))?[^=]*=?@(?!-$)|^file(?:b)?:\/\//;

export const SERVICES: Programs = {
  'gh glab': {
    options: {
      read: '-F --body-file --notes-file --input --env-file',
      write: '-D --dir -O --output --clobber_',
      value:
        '-R --repo -t --title -b --body -l --label -a --assignee -f --raw-field -X --method -H --header -q --jq --template',
    },
    operands: 'paths',
    actingValues: FILE_VALUES,
    actingVerbs: /^(?:alias|config|extension|extensions|ext)$/,
  },
  'aws gcloud az rclone': {
    options: {
      value: '--endpoint-url --region --profile --query',
      read: '--config --ca-bundle --cli-input-json --cli-input-yaml --body',
    },
    operands: 'paths',
    actingValues: FILE_VALUES,
    actingVerbs: /^(?:configure|config)$/,
    actingOperands: /^fileb?:\/\//,
  },
  terraform: {
    options: { folder: '-chdir', acts: '-plugin-dir', read: '-var-file -state', write: '-out -state-out -backup' },
    operands: 'paths',
    isSingleDash: true,
  },
  'ansible ansible-playbook': {
    options: { acts: '-a --args -M --module-path', read: '-i -e --extra-vars' },
    operands: 'paths',
  },
  'systemctl journalctl launchctl': { options: { acts: '-M --machine -H --host --root' }, operands: 'paths' },
  'openssl gpg gpg2 age': {
    options: {
      write: '-out -o --output --keyout -keyout',
      read: '-in --homedir -i -inkey -CAfile -key -kfile -passin',
      acts:
        '-engine -provider -provider-path -config --exec-path --photo-viewer --agent-program --dirmngr-program --pinentry-program ' +
        '--gpgconf --keyserver --options --load-extension --exec',
    },
    operands: 'paths',
    isSingleDash: true,
  },
};
