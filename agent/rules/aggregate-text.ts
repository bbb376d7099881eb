/**
 * Several errors as one text: the text itself if there is one, else `[a, b]`; texts that come again are left out. `undefined`: no
 * error. Source: apimachinery v1.34 `util/errors` `NewAggregate`.
 */
export const aggregateText = (errors: readonly string[]): string | undefined => {
  const texts = [...new Set(errors)];
  return texts.length > 1 ? `[${texts.join(', ')}]` : texts[0];
};
