/**
 * Answers as YAML. The file is separate so that the heartbeat function, which starts often, does not load the
 * library.
 */
import { stringify } from 'yaml';

/**
 * Serializes as Kubernetes' library does: members sorted, lists not indented, no folded lines, and quotes around
 * text that YAML 1.1 would read as another type.
 */
export const toYaml = (body: object): string =>
  // Drops members that are undefined, as JSON does: the YAML library would write them.
  stringify(JSON.parse(JSON.stringify(body)), {
    schema: 'yaml-1.1',
    sortMapEntries: true,
    indentSeq: false,
    lineWidth: 0,
    aliasDuplicateObjects: false,
  });
