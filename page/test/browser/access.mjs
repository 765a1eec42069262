// What people see and use, whatever the page: what axe-core finds, where the keyboard's focus is, paper. Colours and sizes are those that the browser
// computes.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from './browser.mjs';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** To be there before [`faultless`] looks; pages' own policies do not hold for it. */
export async function withAxe(page) {
  await page.evaluate(AXE);
  // Axe cannot tell the colours of what waits to be drawn until it is scrolled to.
  await page.evaluate(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('* { content-visibility: visible !important; }');
    document.adoptedStyleSheets.push(sheet);
  });
}

/** Axe finds nothing; where `scrolls`, a table may have columns that are not on the screen, whose colours it cannot tell. */
export async function faultless(page, when, { scrolls = false } = {}) {
  const found = await page.evaluate(async (scrolls) => {
    const { violations, incomplete } = await globalThis.axe.run();
    const isShort = ({ any }) => any[0]?.data?.messageKey === 'shortTextContent';
    const isAway = ({ any }) => scrolls && /obscured|outside/i.test(`${any[0]?.data?.messageKey} ${any[0]?.message}`);
    // A drawing's text has its caption's colours.
    const unsure = incomplete
      .filter(({ id }) => id === 'color-contrast')
      .map((found) => ({
        ...found,
        nodes: found.nodes.filter((node) => !node.html.startsWith('<text') && !isShort(node) && !isAway(node)),
      }))
      .filter(({ nodes }) => nodes.length > 0);
    return [...violations, ...unsure].map(({ id, nodes }) => `${id}: ${nodes.map(({ html, any }) => `${html} ${any[0]?.message}`)}`);
  }, scrolls);
  expect(found.length === 0, `${when}: what axe finds`, found);
}

export const inBoth = async (page, when) => {
  for (const scheme of ['light', 'dark']) {
    await page.evaluate((scheme) => (document.documentElement.style.colorScheme = scheme), scheme);
    await faultless(page, `${scheme}, ${when}`);
  }
  await page.evaluate(() => (document.documentElement.style.colorScheme = ''));
};

export const until = (page, is) => page.waitForFunction(is);
/** The element that has the keyboard's focus; `unseen` where nothing shows it. */
export const focused = (page) =>
  page.evaluate(() => {
    const { id } = document.activeElement;
    const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
    return id === '' || (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2) ? id : `${id} unseen`;
  });
export async function tabbed(page, times) {
  const ids = [];
  for (let time = 0; time < times; time += 1) {
    await page.keyboard.press('Tab');
    ids.push(await focused(page));
  }
  return ids;
}

/** Shows what would be printed, by a browser that prefers dark. */
export async function onPaper(page, isChromium) {
  if (isChromium) {
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
    await page.emulateMediaType('print');
  } else {
    // What this browser would print with, as it emulates no paper.
    await page.evaluate(() => {
      const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]).filter(({ media }) => media?.mediaText === 'print');
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(rules.flatMap(({ cssRules }) => [...cssRules].map(({ cssText }) => cssText)).join('\n'));
      document.adoptedStyleSheets = [sheet];
    });
  }
}
