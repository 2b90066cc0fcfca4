// Programs that turn documents, images and sound into others. Names may have attributes behind them, or stand in templates.
import { folderWord, literalWord, replacedWord, type ShellWord } from '../syntax/shell-word.js';
import { sayActing, type Task } from '../task.js';
import { useFile, useFoundIn, useUnknownFile } from './operands.js';
import type { Programs, ProgramTable } from './program-table.js';
import { readByTable } from './read-by-table.js';
import type { ScannedWords } from './scan-options.js';

const OF_ROFF = {
  acts: '-U -M -F -L -P -X -l',
  read: '-I',
  value: '-T -m -K -D -d -f -n -o -r -w -W',
  flag: '-a -b -c -e -g -i -j -k -p -s -t -z -C -E -G -J -N -R -S -V -Z',
};

const readRoff: ProgramTable['read'] = (task, table) => {
  const scanned = readByTable(task, table);
  useFoundIn(task, scanned, ['-I'], wordsOf(scanned));
};

export const DOCUMENT_PROGRAMS: Programs = {
  exiftool: {
    options: {
      // Conditions and formats are code.
      acts: '-config -@ -if -if0 -if1 -if2 -if3 -if4 -if5 -p,-printFormat -userParam -execute -stay_open',
      read: '-tagsFromFile,-TagsFromFile',
      write: '-o -w,-textOut -W,-tagOut',
      flag: '-r,-recurse -overwrite_original',
    },
    operands: 'write',
    isSingleDash: true,
    // `-Tag<${name;code}`
    actingValues: /[<$]/,
  },
  'ffmpeg ffprobe ffplay avconv': {
    options: {
      value:
        '-i -f -c -vf -af -ss -t -to -r -b -map -codec -vcodec -acodec -s -aspect -filter_complex,-lavfi -crf -preset -pix_fmt -q -qscale ' +
        '-loglevel,-v -threads -metadata -stream_loop -ar -ac -b:v -b:a -c:v -c:a -frames:v -vframes -select_streams -show_entries -of,-print_format -movflags -tune -profile:v -g -maxrate -bufsize -disposition -fps_mode -vsync',
      read: '-attach -filter_complex_script -filter_script -fpre -vpre -apre',
      write: '-passlogfile -progress -vstats_file -sdp_file',
      flag: '-y -n -an -vn -sn -dn -hide_banner -nostdin -shortest -show_format -show_streams',
      tells: '-version -formats -codecs -encoders -decoders -h',
    },
    operands: 'none',
    isSingleDash: true,
    keepsApart: true,
    read: readFfmpeg,
  },
  'convert magick identify mogrify composite montage compare import animate display conjure stream': {
    options: {
      value:
        '-resize -quality -crop -density -format -gravity -background -fill -font -pointsize -geometry -depth -colors -type -compress -define -colorspace -extent -rotate -blur -sharpen -level -fuzz -filter -size -delay -loop -limit -set -threshold -border -bordercolor -annotate -draw -tile',
      write: '-write -path',
      read: '-mask -texture -profile',
      acts: '-process',
    },
    operands: 'none',
    isSingleDash: true,
    keepsApart: true,
    read: readMagick,
  },
  pandoc: {
    options: {
      acts: '-F,--filter -L,--lua-filter --pdf-engine --pdf-engine-opt -d,--defaults --extract-media',
      write: '-o,--output --log',
      read: '--template -H,--include-in-header -B,--include-before-body -A,--include-after-body --metadata-file --bibliography --data-dir --resource-path --reference-doc --csl --abbreviations --syntax-definition --epub-cover-image -c,--css',
      value:
        '-f,-r,--from,--read -t,-w,--to,--write -M,--metadata -V,--variable --toc-depth --wrap --columns --highlight-style',
      flag: '-s,--standalone --toc,--table-of-contents -N,--number-sections --embed-resources --self-contained',
      tells: '-v,--version -h,--help --list-input-formats --list-output-formats',
    },
    operands: 'read',
    // Readers and writers of formats that are programs in Lua.
    actingValues: /^(?:-[frtw]|--(?:from|to|read|write)=).*\.lua$|^--data-dir/,
    actingVerbs: /^(?:lua|server)$/,
  },
  'pdflatex latex xelatex lualatex tex pdftex luatex latexmk bibtex biber': {
    options: {
      acts: '-shell-escape,--shell-escape -enable-write18 -e -r -latex -pdflatex',
      write: '-output-directory,--output-directory -outdir',
      value: '-interaction,--interaction -jobname,--jobname',
    },
    operands: 'paths',
    here: 'write',
    isSingleDash: true,
    actingOperands: /\\/,
  },
  'pdftotext pdftohtml pdftoppm pdftocairo pdfimages ps2pdf pdf2ps cwebp dwebp rsvg-convert dot neato': {
    options: { write: '-o,--output', value: '-f -l -r -q -T -W -H' },
    operands: 'none',
    isSingleDash: true,
    read: readConverter,
  },
  // Letters mean something else to each of them, so that words behind them count as files.
  xgettext: {
    options: {
      write: '-o,--output -p,--output-dir',
      list: '-f,--files-from',
      read: '-D,--directory -x,--exclude-file --its --style',
      attached: '-k,--keyword -c,--add-comments -m,--msgstr-prefix -M,--msgstr-suffix --color',
      value: '-d,--default-domain -L,--language -w,--width --from-code --flag --package-name --package-version',
    },
    operands: 'read',
    read: readCatalogue,
  },
  msgfmt: {
    options: {
      write: '-o,--output-file -d',
      read: '-D,--directory --template',
      attached: '-k,--keyword --color',
      value: '-l,--locale -r,--resource -L,--language -a,--alignment',
    },
    operands: 'read',
    read: readCatalogue,
  },
  'msgattrib msgcat msgcmp msgcomm msgconv msgen msggrep msginit msgmerge msgunfmt msguniq': {
    options: {
      write: '-o,--output-file,--output --output-dir',
      list: '-f,--files-from',
      read: '-D,--directory --input --compendium --exclude-file --its --template',
      attached: '--keyword --backup',
      flag: '-U,--update',
      value: '--suffix --language --from-code --domain --to-code --package-name --locale',
    },
    operands: 'read',
    read: readCatalogue,
  },
  'msgexec msgfilter': {
    operands: 'command',
    options: { read: '-i,--input -D,--directory', write: '-o,--output-file' },
  },
  // What a document includes is fetched or read if it is told to.
  'xmllint xsltproc xmlstarlet xml': {
    options: {
      write: '-o,--output',
      risk: '--xinclude --noent --loaddtd --valid --shell --sax',
      read: '--schema --relaxng --schematron --dtdvalid --pattern --stream',
      value: '--xpath --encode --path --maxmem --stringparam --param',
      flag: '--format --noout --nonet --html --recover --noblanks --c14n --nsclean --nocdata',
    },
    operands: 'write',
  },
  'groff troff': {
    options: {
      ...OF_ROFF,
      // The version it asks of the programs that it starts.
      tells: '-h,--help',
    },
    operands: 'read',
    read: readRoff,
  },
  nroff: {
    // Its `-h` sets tabs.
    options: { ...OF_ROFF, flag: `${OF_ROFF.flag} -h`, tells: '--help' },
    operands: 'read',
    read: readRoff,
  },
  'pngquant optipng jpegoptim oxipng gifsicle svgo': {
    options: { write: '-o,--output --dir -out', read: '--config', value: '-O --quality -m' },
    operands: 'write',
    here: 'write',
  },
  'libreoffice soffice': {
    options: { write: '--outdir', value: '--convert-to --infilter', acts: '--accept --script-cat -env' },
    operands: 'paths',
    here: 'write',
    actingOperands: /^(?:macro|vnd\.sun\.star\.script):/,
  },
};

/** Inputs behind `-i`, and outputs: addresses of protocols, and templates such as `out%03d.png`. */
function readFfmpeg(task: Task, table: ProgramTable): void {
  const { options, operands } = readByTable(task, table);
  for (const { main, value } of options) {
    if (main === '-i' && value !== null) readSource(task, value, 'read');
    // Filters can read files: `movie=`, `subtitles=`, `textfile=`.
    if (/^-(?:vf|af|filter_complex|lavfi)$/.test(main) && value !== null && FILE_FILTER.test(value.head))
      useUnknownFile(task, 'read', `a filter of ${task.name} reads a file`);
    if (main === '-f' && /^(?:fifo|tee|segment|hls|dash|ssegment|stream_segment)/.test(value?.head ?? ''))
      useUnknownFile(task, 'write', `${task.name} writes files that its output lists`);
    if (main === '-f' && value?.value === 'concat')
      useUnknownFile(task, 'read', `${task.name} reads the files that a list names`);
  }
  const access = task.name === 'ffprobe' || task.name === 'ffplay' ? 'read' : 'write';
  for (const { word } of operands) readSource(task, word, access);
}

const FILE_FILTER =
  /(?:^|[,;\]\s])(?:a?movie|subtitles|ass|lut3d|lut1d|sendcmd|asendcmd|drawtext|vidstab\w+|haldclut\w*|arnndn|frei0r|ladspa|lv2|signature|libvmaf|zmq)\b|file(?:name)?=/;
const REMOTE = /^(?:https?|rtmps?|rtsp|udp|tcp|srt|rtp|ftp|sftp|mms|hls\+https?):/i;

function readSource(task: Task, word: ShellWord, access: 'read' | 'write'): void {
  const { value, head } = word;
  if (value !== null && /^(?:pipe:\d*|-)$/.test(value)) return;
  if (REMOTE.test(head)) return;
  const file = /^file:(?:\/\/)?/i.exec(head)?.[0];
  const target = file === undefined || value === null ? word : replacedWord(word, value.slice(file.length));
  if (file === undefined && /^[\w+]{2,}[:,]/.test(head))
    useUnknownFile(task, access, `${word.text} is an address of ${task.name}`);
  else if (/%\d*d|[*?[]/.test(target.head)) useTemplate(task, target, access);
  else useFile(task, target, access);
}

/** Names with a number in them: all such in the folder. */
function useTemplate(task: Task, word: ShellWord, access: 'read' | 'write'): void {
  const text = word.value ?? word.head;
  const magic = text.search(/[%*?[]/);
  const slash = text.lastIndexOf('/', magic === -1 ? text.length : magic);
  if (text.slice(Math.max(magic, 0)).includes('/'))
    useUnknownFile(task, access, `${task.name} makes names of ${word.text}`);
  else useFile(task, replacedWord(word, slash === -1 ? '.' : text.slice(0, slash + 1)), access, { into: null });
}

/** ImageMagick: attributes behind names, formats in front of them, its own commands in brackets. The last one is written. */
function readMagick(task: Task, table: ProgramTable): void {
  const { operands } = readByTable(task, table);
  const words = operands.map(({ word }) => word).filter(({ value }) => value !== '(' && value !== ')');
  const isLastWritten = !/^(?:identify|display|animate|mogrify)$/.test(task.name) && words[0]?.value !== 'identify';
  for (const [at, word] of words.entries()) {
    const isTarget = isLastWritten && at === words.length - 1 && at > 0;
    for (const access of task.name === 'mogrify'
      ? (['read', 'write'] as const)
      : ([isTarget ? 'write' : 'read'] as const))
      useImage(task, word, access);
  }
}

const MADE_UP =
  /^(?:xc|canvas|gradient|radial-gradient|plasma|pattern|label|caption|null|logo|rose|wizard|granite|netscape|magick|inline|info|histogram|fractal|tile)$/i;

function useImage(task: Task, word: ShellWord, access: 'read' | 'write'): void {
  const { value } = word;
  if (value === null) {
    useFile(task, word, access);
    return;
  }
  // What stands behind it is a line of the shell.
  if (value.startsWith('|')) sayActing(task, `${word.text} is what ${task.name} starts`);
  const format = /^([A-Za-z][\w-]*):/.exec(value)?.[1];
  const name = value.slice(format === undefined ? 0 : format.length + 1).replace(/\[[^[\]]*\]$/, '');
  if (format !== undefined && /^(?:msl|mvg|text|vid|script|ephemeral|https?|ftp|file)$/i.test(format))
    sayActing(task, `${word.text} is more to ${task.name} than a name`);
  if (format !== undefined && MADE_UP.test(format)) {
    if (name.startsWith('@')) useFile(task, literalWord(name.slice(1)), 'read');
    return;
  }
  if (name.startsWith('@')) {
    useFile(task, literalWord(name.slice(1)), 'read');
    useUnknownFile(task, access, `${task.name} reads the files that a list names`);
  } else if (/[*?[]|%\d*d|%\[/.test(name)) useTemplate(task, replacedWord(word, name), access);
  else if (name !== '' && name !== '-') useFile(task, replacedWord(word, name), access);
}

/** Some make a file of a name of their own if no option names one. */
function readCatalogue(task: Task, table: ProgramTable): void {
  const scanned = readByTable(task, table);
  useFoundIn(task, scanned, ['--directory'], wordsOf(scanned));
  useFile(task, literalWord('.'), 'write');
  if (task.name === 'msgmerge') useUpdated(task, scanned);
  if (task.name === 'msgfmt') useFile(task, literalWord('messages.mo'), 'write');
  if (task.name !== 'xgettext') return;
  const given = (name: string): ShellWord | null =>
    scanned.options.findLast(({ main }) => main === name)?.value ?? null;
  const [folder, domain] = [given('--output-dir'), given('--default-domain')];
  if (folder?.value === null || domain?.value === null)
    useUnknownFile(task, 'write', 'the name of what xgettext makes is not known');
  else {
    const name = `${domain?.value ?? 'messages'}.po`;
    useFile(task, folder === null ? literalWord(name) : replacedWord(folder, `${folder.value}/${name}`), 'write');
  }
}

/** `msgmerge --update`: what was there before has another name then. */
function useUpdated(task: Task, scanned: ScannedWords): void {
  const value = (name: string): ShellWord | null | undefined =>
    scanned.options.findLast(({ main }) => main === name)?.value;
  const [catalogue] = wordsOf(scanned);
  if (value('--update') === undefined || catalogue === undefined) return;
  useFile(task, catalogue, 'write');
  const [suffix, kind] = [value('--suffix'), value('--backup')];
  const ending = suffix == null ? '~' : suffix.value;
  const isSimple = kind == null || /^(?:none|off|simple|never)$/.test(kind.value ?? '');
  if (!isSimple || ending === null || ending.includes('/') || catalogue.value === null)
    useUnknownFile(task, 'write', 'the name of a backup that msgmerge makes is not known');
  else useFile(task, replacedWord(catalogue, `${catalogue.value}${ending}`), 'write');
}

function wordsOf({ operands }: ScannedWords): readonly ShellWord[] {
  return operands.map(({ word }) => word);
}

/** Read, then one that is written; without that its name is made of the first one. */
function readConverter(task: Task, table: ProgramTable): void {
  const { operands, options } = readByTable(task, table);
  const isNamed = options.some(({ effect }) => effect === 'write');
  for (const [at, { word }] of operands.entries()) useFile(task, word, at > 0 && !isNamed ? 'write' : 'read');
  const [only] = operands;
  if (only === undefined || isNamed || operands.length > 1) return;
  if (only.word.value === null) useUnknownFile(task, 'write', `the name of what ${task.name} makes is not known`);
  else useFile(task, folderWord(only.word), 'write', { into: null });
}
