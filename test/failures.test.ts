import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readFailures } from './failures.ts';

describe('what a runner printed', () => {
  it('of Bun names each test that failed once, with its file and its message', () => {
    const output = `bun test v1.4.4 (38afee6c8)

test/list.test.ts:
(pass) a list > has pages [1.20ms]
not an error: a line that a test printed
23 |   const answer = await get('login');
24 |   assert.equal(answer.status, 200, await answer.text());
              ^
AssertionError: {"ok":false}


429 !== 200

 generatedMessage: false,
     actual: 429,

      at signIn (/somewhere/test/list.test.ts:24:10)
      at node:test:1445:26
(fail) a list > is [short] [467.93ms]

test/other.test.ts:
(pass) other [1.00ms]
(fail) slow [300009.31ms]
  ^ this test timed out after 300000ms.

2 tests failed:
(fail) a list > is [short] [467.93ms]
(fail) slow [300009.31ms]
  ^ this test timed out after 300000ms.

 2 pass
 2 fail
Ran 4 tests across 2 files. [9.00s]
`;
    assert.deepEqual(readFailures(output), [
      {
        name: 'test/list.test.ts > a list > is [short]',
        message: [
          'AssertionError: {"ok":false}',
          '429 !== 200',
          '      at signIn (/somewhere/test/list.test.ts:24:10)',
        ],
      },
      { name: 'test/other.test.ts > slow', message: ['  ^ this test timed out after 300000ms.'] },
    ]);
  });

  it('of Bun names a file that failed outside of its tests', () => {
    const output = `bun test v1.4.4 (38afee6c8)

test/broken.test.ts:

# Unhandled error between tests
-------------------------------
error: Cannot find module './gone.ts' from '/somewhere/test/broken.test.ts'
-------------------------------


 0 pass
 1 fail
 1 error
`;
    assert.deepEqual(readFailures(output), [
      {
        name: 'test/broken.test.ts > outside of a test',
        message: ["error: Cannot find module './gone.ts' from '/somewhere/test/broken.test.ts'"],
      },
    ]);
  });

  const onNode = `▶ a list
  ▶ of many
    ✔ has pages (1.2ms)
    ✖ is short (17.4ms)
  ✖ of many (20.1ms)
✖ a list (22.5ms)
✖ test/broken.test.ts (679.7ms)
test/broken.test.ts: the process ended with SIGSEGV
`;

  it('of Node names each test that failed, with its file, its suites and its message', () => {
    const output = `${onNode}ℹ tests 2
ℹ fail 2

✖ failing tests:

test at test/list.test.ts:91:3
✖ is short (17.4ms)
  AssertionError [ERR_ASSERTION]: Expected values to be strictly deep-equal:
  
    [
  +   99,
    ]
  
      at TestContext.<anonymous> (file:///somewhere/test/list.test.ts:93:14)
      at async Test.run (node:internal/test_runner/test:1409:7) {
    generatedMessage: true,
  }

test at test/broken.test.ts:1:1
✖ test/broken.test.ts (679.7ms)
  'test failed'
`;
    assert.deepEqual(readFailures(output), [
      {
        name: 'test/list.test.ts > a list > of many > is short',
        message: [
          '  AssertionError [ERR_ASSERTION]: Expected values to be strictly deep-equal:',
          '    [',
          '  +   99,',
          '    ]',
          '      at TestContext.<anonymous> (file:///somewhere/test/list.test.ts:93:14)',
        ],
      },
      {
        name: 'test/broken.test.ts',
        message: ["  'test failed'", 'test/broken.test.ts: the process ended with SIGSEGV'],
      },
    ]);
  });

  it('before a step was cut names what had failed by then, and where it was', () => {
    const cut = '\nnot done within 25 minutes: ended\n';
    assert.deepEqual(
      readFailures(`${onNode}${cut}`).map(({ name }) => name),
      ['a list > of many > is short', 'test/broken.test.ts', 'not done within 25 minutes: ended'],
    );
    assert.deepEqual(readFailures(`bun test v1.4.4\n\ntest/list.test.ts:\n(pass) one [1.00ms]\n${cut}`), [
      {
        name: 'not done within 25 minutes: ended',
        message: ['bun test v1.4.4', 'test/list.test.ts:', '(pass) one [1.00ms]'],
      },
    ]);
  });

  it('of any other command are its last lines', () => {
    const output = `${'x\n'.repeat(50)}src/app.ts(3,1): error TS2304: Cannot find name 'y'.\n`;
    const [only, ...others] = readFailures(output);
    assert.deepEqual(others, []);
    assert.equal(only?.message.at(-1), "src/app.ts(3,1): error TS2304: Cannot find name 'y'.");
    assert.equal(only?.message.length, 8);
  });
});
