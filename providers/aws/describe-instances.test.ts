import { describe, expect, it } from '@jest/globals';
import { ec2Error, identity, reservations } from './ec2-server-for-tests.ts';
import { credentials, errorOf, owner, useProvider } from './provider-for-tests.ts';

const use = useProvider();

describe('describe', () => {
  it('asks by filter, so that an unknown id fails nothing, and takes providerIDs for ids', async () => {
    use().server.on('DescribeInstances', () => reservations([{ id: 'i-0123abcd' }]));
    const found = await use().provider.describe(credentials, ['i-0123abcd', 'aws:///eu-west-1/i-0123abce']);
    expect(found.map(({ id }) => id)).toEqual(['i-0123abcd']);
    const { form } = use().callsOf('DescribeInstances')[0] ?? { form: {} };
    expect(form).toMatchObject({ 'Filter.1.Name': 'instance-id', 'Filter.1.Value.2': 'i-0123abce' });
    expect(Object.keys(form).filter((name) => name.startsWith('InstanceId'))).toEqual([]);
  });

  it('takes a batch of the size it names and no more, and asks nothing for no ids', async () => {
    use().server.on('DescribeInstances', () => reservations([]));
    const ids = Array.from(
      { length: use().provider.describeBatchSize },
      (_, n) => `i-${n.toString(16).padStart(8, '0')}`,
    );
    expect(await use().provider.describe(credentials, ids)).toEqual([]);
    expect((await errorOf(use().provider.describe(credentials, [...ids, 'i-0123abcd']))).code).toBe('InvalidArgument');
    expect(await use().provider.describe(credentials, [])).toEqual([]);
    expect(use().server.calls).toHaveLength(1);
  });

  it.each([
    [200, '<html></html>', 'Unknown'],
    [200, '', 'Unknown'],
    [200, 'text', 'Unknown'],
    [403, '<html></html>', 'PermissionDenied'],
  ])('takes HTTP %i %s, which is no answer of EC2, for no proof of absence: %s', async (status, body, code) => {
    use().server.on('DescribeInstances', () => ({ status, body }));
    expect((await errorOf(use().provider.describe(credentials, ['i-0123abcd']))).code).toBe(code);
  });

  it('fails where the credentials do, instead of finding nothing', async () => {
    use().server.on('DescribeInstances', () => ec2Error('UnauthorizedOperation', 'no', 403));
    expect((await errorOf(use().provider.describe(credentials, ['i-0123abcd']))).retryClass).toBe('denied');
  });
});

describe('findByMachine', () => {
  it('makes those of its calls once more that EC2 throttles, and leaves the rest to the workflow', async () => {
    let calls = 0;
    use().server.on('DescribeInstances', () => {
      calls += 1;
      return calls % 3 === 0 ? ec2Error('RequestLimitExceeded', 'slow', 503) : reservations([{ id: 'i-0123abcd' }]);
    });
    const found = await use().provider.findByMachine(credentials, owner, 'token');
    expect(found.map(({ id }) => id)).toEqual(['i-0123abcd']);
    use().server.on('DescribeInstances', () => ec2Error('RequestLimitExceeded', 'slow', 503));
    expect((await errorOf(use().provider.findByMachine(credentials, owner, 'token'))).code).toBe('Throttled');
  });

  const own = { 'millwright/machine-uid': 'uid-1' };
  const answerBy = (answers: Readonly<Record<string, Parameters<typeof reservations>[0]>>) =>
    use().server.on('DescribeInstances', ({ form }) => reservations(answers[form['Filter.1.Name'] ?? ''] ?? []));

  it('asks by uid, by token, by name within the cluster and by namespace and name, and tells each instance once', async () => {
    answerBy({
      'tag:millwright/machine-uid': [{ id: 'i-1', tags: own, state: 'terminated' }],
      'client-token': [{ id: 'i-1', tags: own, state: 'terminated' }, { id: 'i-2' }],
    });
    const found = await use().provider.findByMachine(credentials, owner, 'token-1');
    expect(found.map(({ id, state }) => [id, state])).toEqual([
      ['i-1', 'terminated'],
      ['i-2', 'running'],
    ]);
    const asked = use().server.calls.map(({ form }) =>
      [1, 2, 3]
        .map((n) => [form[`Filter.${n}.Name`], form[`Filter.${n}.Value.1`]].join('='))
        .filter((one) => one !== '='),
    );
    expect(asked.toSorted((a, b) => (a.join() < b.join() ? -1 : 1))).toEqual([
      ['client-token=token-1'],
      ['tag:Name=web-1', 'tag-key=kubernetes.io/cluster/c1', 'instance-state-name=pending'],
      ['tag:millwright/machine-uid=uid-1'],
      ['tag:millwright/machine=machines/web-1', 'instance-state-name=pending'],
    ]);
  });

  it('finds what lives under its name or its namespace and name, with all that tells whose it is', async () => {
    const tags = {
      Name: 'web-1',
      'kubernetes.io/cluster/c1': 'owned',
      'kubernetes.io/cluster/c2': 'shared',
      'millwright/machine': 'machines/web-1',
      'millwright/machine-uid': 'uid-2',
      'millwright/cluster-uid': 'cluster-2',
    };
    answerBy({ 'tag:Name': [{ id: 'i-left' }], 'tag:millwright/machine': [{ id: 'i-before', tags }] });
    const found = await use().provider.findByMachine(credentials, owner);
    expect(found.map(({ id }) => id)).toEqual(['i-left', 'i-before']);
    expect(found[1]).toMatchObject({
      name: 'web-1',
      clusters: ['c1'],
      machineKey: 'machines/web-1',
      machineUid: 'uid-2',
      clusterUid: 'cluster-2',
      account: '123456789012',
    });
    expect(found[0]).not.toHaveProperty('clusters');
    expect(use().server.calls).toHaveLength(3);
  });

  it('finds nothing only where all of its reads were answered', async () => {
    use().server.on('DescribeInstances', ({ form }) =>
      form['Filter.1.Name'] === 'client-token' ? ec2Error('Unavailable', 'no', 503) : reservations([]),
    );
    expect((await errorOf(use().provider.findByMachine(credentials, owner, 't'))).code).toBe('Unavailable');
  });
});

describe('list', () => {
  it('reads all pages', async () => {
    use().server.on('DescribeInstances', ({ form }) =>
      form['NextToken'] === 'two'
        ? reservations([{ id: 'i-2', state: 'terminated' }])
        : reservations([{ id: 'i-1' }], 'two'),
    );
    expect((await use().provider.list(credentials, 'c1')).map(({ id }) => id)).toEqual(['i-1', 'i-2']);
    expect(use().server.calls[0]?.form).toMatchObject({
      'Filter.1.Name': 'tag-key',
      'Filter.1.Value.1': 'kubernetes.io/cluster/c1',
      MaxResults: '1000',
    });
  });

  it('ends in time over all pages, and where a page is its own next one', async () => {
    use().open({ listTimeoutMs: 150 });
    let page = 0;
    use().server.on('DescribeInstances', () => ({ ...reservations([], `page ${(page += 1)}`), afterMs: 40 }));
    expect((await errorOf(use().provider.list(credentials, 'c1'))).code).toBe('DeadlineExceeded');
    use().server.on('DescribeInstances', () => reservations([], 'same'));
    expect((await errorOf(use().provider.list(credentials, 'c1'))).message).toContain('next page is the page itself');
  });
});

describe('the account of the credentials', () => {
  it('is what STS tells, asked once for all who want to know at about the same time', async () => {
    use().server.on('GetCallerIdentity', () => identity('210987654321'));
    const { provider } = use();
    expect(await Promise.all([provider.accountOf?.(credentials), provider.accountOf?.(credentials)])).toEqual([
      '210987654321',
      '210987654321',
    ]);
    expect(await provider.accountOf?.({ ...credentials, secretName: 'other' })).toBe('210987654321');
    expect(use().callsOf('GetCallerIdentity')).toHaveLength(2);
  });

  it('is asked for again after its time, and unknown where STS does not tell', async () => {
    use().open({ accountTtlMs: 0 });
    use().server.on('GetCallerIdentity', () => identity('1'));
    expect(await use().provider.accountOf?.(credentials)).toBe('1');
    use().server.on('GetCallerIdentity', () => ({ status: 503, body: '' }));
    expect(await use().provider.accountOf?.(credentials)).toBeUndefined();
  });
});

describe('an id', () => {
  const [short, long] = ['i-0123abcd', 'i-0123456789abcdef0'];

  it.each([short, long])('may be %s', (id) => expect(use().provider.isInstanceId(id)).toBe(true));

  it.each(['', '*', 'i-*', 'i-1', 'i-0123ABCD', `${long} `, `${long}0`, 'i-????????'])(
    'is never "%s", which is not sent',
    async (id) => {
      expect(use().provider.isInstanceId(id)).toBe(false);
      use().server.on('DescribeInstances', () => reservations([]));
      expect(await use().provider.describe(credentials, [id])).toEqual([]);
      expect(use().server.calls).toEqual([]);
      await use().provider.describe(credentials, [id, long]);
      const sent = Object.entries(use().server.calls[0]?.form ?? {}).filter(([name]) =>
        name.startsWith('Filter.1.Value'),
      );
      expect(sent).toEqual([['Filter.1.Value.1', long]]);
    },
  );
});

describe('claim', () => {
  it('writes the uid, the namespace and name and the cluster’s uid, and leaves the rest', async () => {
    use().server.on('CreateTags', () => ({ body: '<CreateTagsResponse><return>true</return></CreateTagsResponse>' }));
    await use().provider.claim(credentials, 'i-1', owner);
    const form = use().callsOf('CreateTags')[0]?.form ?? {};
    expect(Object.fromEntries([1, 2, 3].map((n) => [form[`Tag.${n}.Key`], form[`Tag.${n}.Value`]]))).toEqual({
      'millwright/machine-uid': 'uid-1',
      'millwright/machine': 'machines/web-1',
      'millwright/cluster-uid': 'cluster-1',
    });
    expect(form).toMatchObject({ 'ResourceId.1': 'i-1' });
    expect(form).not.toHaveProperty('Tag.4.Key');
  });
});

describe('terminate', () => {
  it('tells the state', async () => {
    use().server.on('TerminateInstances', () => ({
      body: '<R><instancesSet><item><instanceId>i-1</instanceId><currentState><name>shutting-down</name></currentState></item></instancesSet></R>',
    }));
    expect(await use().provider.terminate(credentials, 'i-1')).toBe('shutting-down');
    expect(use().server.calls[0]?.form).toMatchObject({ 'InstanceId.1': 'i-1' });
  });

  it.each([
    ['InvalidInstanceID.NotFound', 'NotFound'],
    ['InvalidInstanceID.Malformed', 'NotFound'],
    ['OperationNotPermitted', 'PermissionDenied'],
    ['AuthFailure', 'Unauthenticated'],
  ])('answers %s with %s', async (cloudCode, code) => {
    use().server.on('TerminateInstances', () => ec2Error(cloudCode));
    expect(await errorOf(use().provider.terminate(credentials, 'i-1'))).toMatchObject({ code, details: { cloudCode } });
  });
});
