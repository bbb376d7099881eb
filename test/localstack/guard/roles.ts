/** The policies of a function's role, as the deploy has stored them: LocalStack keeps them, and judges nothing by them. */
import { checkStatement, type Statement } from './policy.ts';

/** How long policies are believed: a deploy changes them (ms). */
const KEPT_MS = 5_000;

const headersFor = (service: string): Record<string, string> => ({
  authorization: `AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/${service}/aws4_request, SignedHeaders=host, Signature=0`,
});

const roleNameOf = async (endpoint: string, functionName: string): Promise<string> => {
  const path = `/2015-03-31/functions/${functionName}/configuration`;
  const answer = await fetch(`${endpoint}${path}`, { headers: headersFor('lambda') });
  const { Role = '' } = (await answer.json()) as { Role?: string };
  return Role.split('/').at(-1) ?? '';
};

/** A read of IAM, whose answers are XML. */
const askIam = async (endpoint: string, parameters: Readonly<Record<string, string>>): Promise<string> => {
  const body = new URLSearchParams({ Version: '2010-05-08', ...parameters });
  const answer = await fetch(endpoint, { method: 'POST', headers: headersFor('iam'), body });
  if (!answer.ok) throw new Error(`${parameters['Action']}: ${answer.status} ${await answer.text()}`);
  return answer.text();
};

const policyNames = (xml: string): readonly string[] =>
  [...xml.matchAll(/<member>([^<]+)<\/member>/g)].map(([, name = '']) => name);

const ENTITIES: Readonly<Record<string, string>> = {
  '&quot;': '"',
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&#34;': '"',
};

const documentIn = (xml: string): { readonly Statement: readonly object[] } => {
  const [, text = ''] = /<PolicyDocument>([\s\S]*?)<\/PolicyDocument>/.exec(xml) ?? [];
  const plain = text.replaceAll(/&[a-z#0-9]+;/g, (entity) => ENTITIES[entity] ?? entity);
  return JSON.parse(plain.startsWith('%') ? decodeURIComponent(plain) : plain) as {
    Statement: readonly object[];
  };
};

const readStatements = async (endpoint: string, functionName: string): Promise<readonly Statement[]> => {
  const RoleName = await roleNameOf(endpoint, functionName);
  const names = policyNames(await askIam(endpoint, { Action: 'ListRolePolicies', RoleName }));
  const documents = await Promise.all(
    names.map((PolicyName) => askIam(endpoint, { Action: 'GetRolePolicy', RoleName, PolicyName })),
  );
  return documents.flatMap((xml) => documentIn(xml).Statement).map(checkStatement);
};

/** What the role of a function allows: as it was up to some seconds ago, or as it is now. */
export interface Roles {
  recent(functionName: string): Promise<readonly Statement[]>;
  present(functionName: string): Promise<readonly Statement[]>;
}

export const createRoles = (endpoint: string): Roles => {
  const known = new Map<
    string,
    { readonly until: number; readonly statements: Promise<readonly Statement[]> }
  >();
  const present = (functionName: string): Promise<readonly Statement[]> => {
    const statements = readStatements(endpoint, functionName);
    statements.catch(() => known.delete(functionName));
    known.set(functionName, { until: Date.now() + KEPT_MS, statements });
    return statements;
  };
  const recent = (functionName: string): Promise<readonly Statement[]> => {
    const found = known.get(functionName);
    return found && found.until > Date.now() ? found.statements : present(functionName);
  };
  return { recent, present };
};
