// An image that is too large for models, made smaller with the user's own `sharp`, if there is one.
import { loadOnce } from '../../util/load-once.js';

export type Shrunk =
  | {
      readonly kind: 'shrunk';
      readonly bytes: Uint8Array;
      readonly mediaType: 'image/png' | 'image/jpeg';
      readonly width: number;
      readonly height: number;
    }
  | { readonly kind: 'no_library' }
  | { readonly kind: 'failed'; readonly why: string };

/** Pixels of the longer side: what models look at; more is made smaller by the API. */
const SIDE = 1_568;
const TIMEOUT_SECONDS = 20;
/** Bytes up to which a picture stays without loss. */
const PNG_BYTES = 1_500_000;
const JPEG_QUALITY = 80;

type Sharp = typeof import('sharp').default;
/** Null if the user has none. */
export type LoadSharp = () => Promise<Sharp | null>;

const loadSharp = loadOnce(async () => {
  try {
    return (await import('sharp')).default;
  } catch {
    // It is optional; whoever needs it says that it is missing.
    return null;
  }
});

/** Contract: never rejects. The pixels are read on threads of the library's own. */
export async function shrinkImage(bytes: Uint8Array, load: LoadSharp = loadSharp): Promise<Shrunk> {
  const sharp = await load();
  if (sharp === null) return { kind: 'no_library' };
  try {
    const image = sharp(bytes, { failOn: 'error' })
      .timeout({ seconds: TIMEOUT_SECONDS })
      .rotate()
      .resize(SIDE, SIDE, { fit: 'inside', withoutEnlargement: true });
    const png = await image.clone().png().toBuffer({ resolveWithObject: true });
    const isSmall = png.data.length <= PNG_BYTES;
    const { data, info } = isSmall
      ? png
      : await image
          .flatten({ background: '#fff' })
          .jpeg({ quality: JPEG_QUALITY })
          .toBuffer({ resolveWithObject: true });
    const mediaType = isSmall ? 'image/png' : 'image/jpeg';
    return { kind: 'shrunk', bytes: data, mediaType, width: info.width, height: info.height };
  } catch (error) {
    return { kind: 'failed', why: error instanceof Error ? error.message : String(error) };
  }
}
