import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

it('stands in for what the SDK makes and never asks', () => {
  const files = globSync('node_modules/@aws-sdk/{client,lib}-dynamodb/dist-es/**/*.js');
  const discovering = files.filter((path) =>
    /getEndpointDiscovery|endpointCache/.test(readFileSync(path, 'utf8')),
  );
  expect(files.length).toBeGreaterThan(50);
  expect(discovering).toEqual([]);
});
