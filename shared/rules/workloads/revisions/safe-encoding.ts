/** Hashes as Kubernetes writes them in names. Source: apimachinery v1.34 `util/rand` `SafeEncodeString`. */

/** Letters without vowels, and digits without 0, 1 and 3, so that a hash never spells a word. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** A 32-bit hash as it stands in names and labels: each decimal digit becomes one character. */
export const safeEncoded = (hash: number): string =>
  String(hash >>> 0).replace(/\d/g, (digit) => ALPHABET.charAt(digit.charCodeAt(0) % ALPHABET.length));
