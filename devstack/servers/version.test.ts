import { expect, test } from '@jest/globals';
import { SERVER_NAMES, SERVERS, TEST_PROGRAM_NAMES, type ServerName } from './catalog.ts';
import { versionFits } from './version.ts';

test.each([
  ['1.36.3', ['1.36', '1.36'], true],
  ['v1.37.0', ['1.36', '1.36'], false],
  ['1.32.4-dispatcher', ['1.28', '1.99'], true],
  ['1.9.0', ['1.28', '1.99'], false],
  ['2.0.0', ['1.28', '1.99'], false],
  ['0.0.0-DEV', ['1.5', '1.99'], false],
  ['unknown', ['1.5', '1.99'], false],
] as const)('%s in %j: %s', (version, range, fits) => {
  expect(versionFits(version, range)).toBe(fits);
});

test.each([
  ['etcd', 'etcd Version: 3.6.8\nGit SHA: Not provided', '3.6.8'],
  ['kube-apiserver', 'Kubernetes v1.36.3', '1.36.3'],
  ['kubectl', 'Client Version: v1.32.4-dispatcher\nKustomize Version: v5.5.0', '1.32.4-dispatcher'],
  ['kwok', 'kwok version v0.8.0 go1.26.8 (linux/amd64)', '0.8.0'],
  ['temporal', 'temporal version 1.9.1 (Server 1.32.0, UI 2.54.1)', '1.9.1'],
] as const satisfies readonly (readonly [ServerName, string, string])[])(
  'reads the version of %s',
  (name, text, version) => {
    expect(SERVERS[name].versionPattern.exec(text)?.[1]).toBe(version);
  },
);

test.each([...SERVER_NAMES, ...TEST_PROGRAM_NAMES])(
  'the versions of %s that are fetched and built would do on PATH too',
  (name) => {
    const { version, build, fits } = SERVERS[name];
    expect(versionFits(version, fits)).toBe(true);
    expect(versionFits(build.version ?? version, fits)).toBe(true);
  },
);
