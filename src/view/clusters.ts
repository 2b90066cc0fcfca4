// A text in clusters, which are what a person counts as characters. One rule: to make a segmenter reads 7 ms of Unicode
// tables, so it is made with the first text that needs one, and there is one for all.

/** The clusters of a text, with the place of each in UTF-16 units. */
export const clustersIn = createClusters();

function createClusters(): (text: string) => Intl.Segments {
  let segmenter: Intl.Segmenter | null = null;
  return (text) => {
    segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
    return segmenter.segment(text);
  };
}
