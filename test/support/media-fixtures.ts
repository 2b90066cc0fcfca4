// Images and documents as users, screenshots and servers really give them: whole, cut, mislabelled, too large, rare.
import { deflateSync } from 'node:zlib';
import { gifBytes, jpegBytes, pdfBytes, pngBytes, webpBytes } from './media.js';

export interface MediaFixture {
  readonly name: string;
  readonly bytes: Buffer;
  /** What it says it is. */
  readonly mediaType: string;
  /** The type it goes to the model as; or what the model reads in its place. */
  readonly sentAs: string | RegExp;
}

const MB = 1_024 * 1_024;
const PNG = 'image/png';
const JPEG = 'image/jpeg';
const GIF = 'image/gif';
const WEBP = 'image/webp';
const PDF = 'application/pdf';

/** With real pixels: all of one grey, or of one colour. */
export function wholePng(width: number, height: number, channels: 1 | 3 | 4 = 1): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, { 1: 0, 3: 2, 4: 6 }[channels]], 8);
  const pixels = deflateSync(Buffer.alloc(height * (width * channels + 1)));
  return pngOf(['IHDR', header], ['IDAT', pixels], ['IEND', Buffer.alloc(0)]);
}

function pngOf(...chunks: readonly (readonly [string, Buffer])[]): Buffer {
  const parts = chunks.map(([name, data]) => {
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(data.length, 0);
    frame.write(name, 4, 'latin1');
    return Buffer.concat([frame, data, Buffer.alloc(4)]);
  });
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...parts]);
}

/** With that many components: 1 grey, 3 colours, 4 CMYK as scanners and print shops give it. */
function jpegOf(components: number, marker = 0xc0): Buffer {
  const parts = Array.from({ length: components }, (_, index) => [index + 1, 0x11, 0]).flat();
  const adobe = [0xff, 0xee, 0, 14, ...Buffer.from('Adobe'), 0, 100, 0, 0, 0, 0, 2];
  return Buffer.from([
    ...[0xff, 0xd8, ...adobe, 0xff, marker, 0, 8 + parts.length, 8, 0, 200, 0, 100, components, ...parts],
    ...[0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, 1, 2, 3, 0xff, 0xd9],
  ]);
}

/** Two frames that repeat. */
function animatedGif(): Buffer {
  const loop = Buffer.concat([Buffer.from([0x21, 0xff, 11]), Buffer.from('NETSCAPE2.0'), Buffer.from([3, 1, 0, 0, 0])]);
  const frame = Buffer.from([0x21, 0xf9, 4, 0, 10, 0, 0, 0, 0x2c, 0, 0, 0, 0, 20, 0, 10, 0, 0, 2, 2, 0x44, 1, 0]);
  const whole = gifBytes(20, 10);
  return Buffer.concat([whole.subarray(0, -1), loop, frame, frame, whole.subarray(-1)]);
}

function animatedPng(): Buffer {
  const whole = wholePng(20, 10);
  const control = pngOf(['acTL', Buffer.from([0, 0, 0, 2, 0, 0, 0, 0])]).subarray(8);
  return Buffer.concat([whole.subarray(0, 33), control, whole.subarray(33)]);
}

function animatedWebp(): Buffer {
  const bytes = Buffer.from(webpBytes(20, 10));
  bytes[20] = 0x02;
  return bytes;
}

/** In the simple forms, lossy and lossless. */
function simpleWebp(form: 'VP8 ' | 'VP8L'): Buffer {
  const lossy = [0, 0, 0, 0x9d, 0x01, 0x2a, 20, 0, 10, 0];
  const lossless = [0x2f, 19, 0x40, 0x02, 0, 0];
  const data = Buffer.from(form === 'VP8 ' ? lossy : lossless);
  const head = Buffer.alloc(20);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(12 + data.length, 4);
  head.write(`WEBP${form}`, 8, 'latin1');
  head.writeUInt32LE(data.length, 16);
  return Buffer.concat([head, data]);
}

const cut = (bytes: Buffer, share: number) => bytes.subarray(0, Math.floor(bytes.length * share));
const large = (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc(5 * MB, 7)]);
const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
const page = Buffer.from('<!doctype html><title>404</title>');

const NO_END = /its end is missing/;
const NO_IMAGE = /no image that can be read/;
const TOO_WIDE = /at most 8000 a side/;
const TOO_LARGE = /larger than 5\.2 MB/;

type Row = readonly [name: string, bytes: Buffer, mediaType: string, sentAs: string | RegExp];

const IMAGES: readonly Row[] = [
  ['a PNG', wholePng(300, 200), PNG, PNG],
  ['a PNG with colours', wholePng(64, 64, 3), PNG, PNG],
  ['a PNG with transparency', wholePng(64, 64, 4), PNG, PNG],
  ['a PNG of one pixel', wholePng(1, 1), PNG, PNG],
  ['a PNG that moves', animatedPng(), PNG, PNG],
  ['a PNG of 8,000 pixels', wholePng(8_000, 1), PNG, PNG],
  ['a PNG of 9,000 pixels', wholePng(9_000, 1), PNG, TOO_WIDE],
  ['a screenshot of a whole page', wholePng(1, 12_000), PNG, TOO_WIDE],
  ['a PNG that says two billion pixels', pngBytes(2_000_000_000, 2_000_000_000), PNG, TOO_WIDE],
  ['a PNG without pixels', pngBytes(0, 0), PNG, /no pixels/],
  ['a PNG cut in its pixels', cut(wholePng(300, 200), 0.8), PNG, NO_END],
  ['a PNG cut in its header', wholePng(3, 2).subarray(0, 20), PNG, NO_END],
  ['the mark of a PNG alone', wholePng(3, 2).subarray(0, 8), PNG, NO_END],
  ['a PNG of a mark and an end', Buffer.from('\x89PNG\r\n\x1a\nIEND', 'latin1'), PNG, NO_IMAGE],
  ['a PNG with something behind it', Buffer.concat([wholePng(3, 2), Buffer.alloc(900)]), PNG, PNG],
  ['a PNG over 5 MB', large(wholePng(3, 2)), PNG, TOO_LARGE],
  ['a JPEG', jpegBytes(300, 200), JPEG, JPEG],
  ['a JPEG in grey', jpegOf(1), JPEG, JPEG],
  ['a JPEG in CMYK', jpegOf(4), JPEG, JPEG],
  ['a progressive JPEG', jpegOf(3, 0xc2), JPEG, JPEG],
  ['a JPEG under its other name', jpegBytes(3, 2), 'image/jpg', /image\/jpg/],
  ['a JPEG of 9,000 pixels', jpegBytes(9_000, 10), JPEG, TOO_WIDE],
  ['a JPEG without its end', jpegBytes(300, 200).subarray(0, -2), JPEG, NO_END],
  ['a JPEG cut half way', cut(jpegOf(3), 0.5), JPEG, NO_END],
  ['a JPEG over 5 MB', large(jpegBytes(3, 2)), JPEG, TOO_LARGE],
  ['a GIF', gifBytes(300, 200), GIF, GIF],
  ['a GIF that moves', animatedGif(), GIF, GIF],
  ['a GIF without its end', gifBytes(30, 20).subarray(0, -1), GIF, NO_END],
  ['a GIF cut while it moves', animatedGif().subarray(0, -26), GIF, NO_END],
  ['a GIF of 9,000 pixels', gifBytes(9_000, 10), GIF, TOO_WIDE],
  ['a GIF of no height', gifBytes(10, 0), GIF, /no pixels/],
  ['a WebP', webpBytes(300, 200), WEBP, WEBP],
  ['a WebP that moves', animatedWebp(), WEBP, WEBP],
  ['a lossy WebP', simpleWebp('VP8 '), WEBP, WEBP],
  ['a lossless WebP', simpleWebp('VP8L'), WEBP, WEBP],
  ['a WebP cut half way', cut(webpBytes(30, 20), 0.9), WEBP, NO_END],
  ['a WebP of nothing', Buffer.from('RIFF\x04\0\0\0WEBP', 'latin1'), WEBP, NO_IMAGE],
  ['a WebP of 9,000 pixels', webpBytes(9_000, 10), WEBP, TOO_WIDE],
  ['a JPEG that says PNG', jpegBytes(30, 20), PNG, JPEG],
  ['a PNG that says JPEG', wholePng(30, 20), JPEG, PNG],
  ['a WebP that says PNG', webpBytes(30, 20), PNG, WEBP],
  ['a GIF that says WebP', gifBytes(30, 20), WEBP, GIF],
  ['a PDF that says PNG', pdfBytes(1), PNG, NO_IMAGE],
  ['a web page that says PNG', page, PNG, NO_IMAGE],
  ['words that say JPEG', Buffer.from('not found'), JPEG, NO_IMAGE],
  ['zeros that say PNG', Buffer.alloc(3_000), PNG, NO_IMAGE],
  ['one byte', Buffer.from([0x89]), PNG, NO_IMAGE],
  ['nothing', Buffer.alloc(0), PNG, /no data|0 bytes/],
  ['an SVG', svg, 'image/svg+xml', /image\/svg\+xml/],
  ['a BMP', Buffer.from('BM000000'), 'image/bmp', /image\/bmp/],
  ['a TIFF', Buffer.from('II*\0'), 'image/tiff', /image\/tiff/],
  ['an HEIC of a phone', Buffer.from('\0\0\0\x18ftypheic'), 'image/heic', /image\/heic/],
];

const DOCUMENTS: readonly Row[] = [
  ['a PDF', pdfBytes(2), PDF, PDF],
  ['a PDF made for the web', pdfBytes(40, { plain: false, linearized: true }), PDF, PDF],
  ['a PDF with a packed page tree', pdfBytes(3, { plain: false }), PDF, PDF],
  ['a PDF of 100 pages', pdfBytes(100), PDF, PDF],
  ['a PDF of 400 pages', pdfBytes(400), PDF, /400 pages/],
  ['a PDF with a password', pdfBytes(2, { encrypted: true }), PDF, /password/],
  ['a PDF with bytes before its mark', Buffer.concat([Buffer.alloc(400, 32), pdfBytes(2)]), PDF, PDF],
  ['a PDF without its end', cut(pdfBytes(5), 0.5), PDF, PDF],
  ['a PDF over what a request holds', pdfBytes(2, { extra: 22 * MB }), PDF, /larger than/],
  ['an image that says PDF', wholePng(9, 9), PDF, /no PDF/],
  ['a web page that says PDF', page, PDF, /no PDF/],
  ['words that say PDF', Buffer.from('%PD'), PDF, /no PDF/],
  ['a document of an office', Buffer.from('PK\x03\x04word/'), 'application/msword', /application\/msword/],
];

const toFixture = ([name, bytes, mediaType, sentAs]: Row): MediaFixture => ({ name, bytes, mediaType, sentAs });

/** 52 images and 13 documents. */
export const IMAGE_FIXTURES: readonly MediaFixture[] = IMAGES.map(toFixture);
export const DOCUMENT_FIXTURES: readonly MediaFixture[] = DOCUMENTS.map(toFixture);
