/** Answers as YAML. A file of its own: the function for heartbeats, which starts often, goes without the library. */
import { stringify } from 'yaml';

/** As Kubernetes' library writes it: sorted, lists not indented, no line folded, whatever YAML 1.1 might misread in quotes. */
export const toYaml = (body: object): string =>
  // Members that are undefined are no YAML; JSON leaves them out.
  stringify(JSON.parse(JSON.stringify(body)), {
    schema: 'yaml-1.1',
    sortMapEntries: true,
    indentSeq: false,
    lineWidth: 0,
    aliasDuplicateObjects: false,
  });
