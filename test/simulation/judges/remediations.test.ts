import { expect, it } from '@jest/globals';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { REMEDIATED_BY_ANNOTATION } from '../../../k8s/model/health-claim.ts';
import { REBOOT_ANNOTATION, writeRebootWish } from '../../../k8s/model/reboot.ts';
import { aMachine } from '../../world/builders/a-machine.ts';
import { NAMESPACE } from '../../world/builders/metadata.ts';
import { ApiServer } from '../../world/kubernetes/api-server.ts';
import { Remediations } from './remediations.ts';

it('a reboot is asked for once by each wish, by the check that claims the Machine', async () => {
  const api = new ApiServer({ garbage: 'when told' });
  const asked: string[] = [];
  void new Remediations({
    api,
    now: () => 0,
    onRemediation: () => {},
    onRebootAsked: ({ machine, check }) => void asked.push(`${machine.metadata.name} by ${check}`),
  });
  api.put({ ...aMachine({ name: 'a' }) });
  const ask = (id: string, causes: readonly string[]) => {
    const annotations = {
      [REMEDIATED_BY_ANNOTATION]: 'check uid-of-check',
      [REBOOT_ANNOTATION]: writeRebootWish({ id, causes }),
    };
    return api.others.mergePatch(MACHINES, NAMESPACE, 'a', { metadata: { annotations } });
  };
  await ask('w', []);
  await ask('w', ['more']);
  expect(asked).toEqual(['a by uid-of-check']);
  await ask('another', []);
  expect(asked).toHaveLength(2);
});
