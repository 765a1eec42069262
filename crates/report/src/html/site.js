// Lets a reader sort a table by a column. Without it, every table stands in its own order.
'use strict';

/** What a cell is sorted by: its number where it has one, else its text. */
function valueOf(row, column) {
  const cell = row.cells[column];
  return cell.dataset.value === undefined ? cell.textContent.trim() : Number(cell.dataset.value);
}

/** Numbers by size, the largest first at the first click; texts by the alphabet; what has no value stands last. */
function sort(table, column, descending) {
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const isEmpty = (row) => row.cells[column].textContent.trim() === '';
  rows.sort((a, b) => {
    if (isEmpty(a) || isEmpty(b)) return Number(isEmpty(a)) - Number(isEmpty(b));
    const [x, y] = [valueOf(a, column), valueOf(b, column)];
    const order = typeof x === 'number' && typeof y === 'number' ? x - y : String(x).localeCompare(String(y));
    return descending ? -order : order;
  });
  body.append(...rows);
}

for (const table of document.querySelectorAll('table')) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = head.textContent;
    button.addEventListener('click', () => {
      const isNumber = head.classList.contains('number');
      const before = head.getAttribute('aria-sort');
      const descending = before === null ? isNumber : before === 'ascending';
      sort(table, column, descending);
      for (const other of heads) other.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', descending ? 'descending' : 'ascending');
      document.getElementById('said').textContent = `Sorted by ${button.textContent}, ${descending ? 'descending' : 'ascending'}`;
    });
    head.replaceChildren(button);
  });
}
